import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Bitset } from '../../../../../../src/clients/search/postgres/index/bitset.ts'
import { Columns } from '../../../../../../src/clients/search/postgres/index/columns.ts'
import {
  countCommonBits,
  countOneByOne,
} from '../../../../../../src/clients/search/postgres/index/common-bits.ts'
import { NumberedValues } from '../../../../../../src/clients/search/postgres/index/numbered-values.ts'
import {
  SnapshotFile,
  writeSnapshot,
} from '../../../../../../src/clients/search/postgres/snapshots/snapshot-file.ts'
import { createRandom } from '../../../../../../src/lib/random.ts'
import { inventQuestion } from '../../../../../contract/search-questions.ts'
import {
  type IndexedListing,
  makeIndexed,
  searchColumns,
} from '../../../../../helpers/search/search-columns.ts'
import { makeWords } from '../../../../../helpers/search/search-documents.ts'

const random = createRandom('columns')
const shape = { words: makeWords('columns', 300), tags: makeWords('columns tags', 200), length: 1 }
const questions = [
  '',
  'sort=newest',
  'sort=updated&page=7',
  ...Array.from({ length: 30 }, () => inventQuestion(random, shape.tags)),
]

/** A catalog with the columns it was written to, and later versions of some documents. */
class Catalog {
  readonly columns = new Columns()
  readonly listings: (IndexedListing | null)[] = []
  version = 0

  /** Rewrites, adds and removes listings. */
  change(count: number, size: number): number[] {
    return Array.from({ length: count }, () => {
      const id = Math.min(this.listings.length, random.below(size))
      const before = this.listings[id]
      const next = makeIndexed(random, shape)
      const uid = before?.uid ?? next.uid
      const isRemoved = before && random.chance(0.1)
      this.listings[id] = isRemoved ? null : { uid, document: next.document }
      this.version += 1
      this.columns.put(id, uid, isRemoved ? null : next.document, this.version)
      return id
    })
  }

  /** The same documents, written once and never prepared. */
  rewritten(): Columns {
    const columns = new Columns()
    for (const [id, listing] of this.listings.entries()) {
      if (listing) columns.put(id, listing.uid, listing.document, 1)
      else columns.put(id, crypto.randomUUID(), null, 1)
    }
    return columns
  }
}

async function answer(columns: Columns): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>()
  for (const question of questions) answers.set(question, await searchColumns(columns, question))
  return answers
}

describe('the columns of a changing catalog', () => {
  test('find the same as fresh ones, also while their orders and lists are built again', async () => {
    const catalog = new Catalog()
    catalog.change(4000, 3000)
    await catalog.columns.prepare()
    expect(await answer(catalog.columns)).toEqual(await answer(catalog.rewritten()))
    catalog.change(200, 3200)
    expect(await answer(catalog.columns)).toEqual(await answer(catalog.rewritten()))
    catalog.change(2000, 3300)
    let isDone = false
    const preparing = catalog.columns.prepare().then(() => (isDone = true))
    for (let changes = 0; !isDone; changes += 1) {
      catalog.change(20, 3600)
      if (changes % 10 === 0) await searchColumns(catalog.columns, 'sort=newest')
      await Bun.sleep(0)
    }
    await preparing
    expect(await answer(catalog.columns)).toEqual(await answer(catalog.rewritten()))
  })
})

describe('a snapshot', () => {
  test('has every document that did not change while it was written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'playshelf-snapshot-'))
    const path = join(folder, 'search-index')
    try {
      const catalog = new Catalog()
      catalog.change(2000, 1500)
      const header = { installation: 'here', version: catalog.version }
      const sections = catalog.columns.save()
      const changed: number[] = []
      // Enough to make every array grow and every list move.
      const change = () => changed.push(...catalog.change(150, 3000))
      for (let round = 0; round < 10; round += 1) change()
      const writing = writeSnapshot(path, header, sections)
      change()
      await Bun.sleep(0)
      change()
      await writing
      await using file = await SnapshotFile.open(path)
      expect(file.header).toMatchObject(header)
      const restored = new Columns()
      await restored.restore(file.next, changed)
      await file.verify()
      for (const id of new Set(changed)) {
        const listing = catalog.listings[id] ?? null
        restored.put(
          id,
          listing?.uid ?? catalog.columns.uids.of(id),
          listing?.document ?? null,
          catalog.version,
        )
      }
      const expected = await answer(catalog.rewritten())
      expect(await answer(restored)).toEqual(expected)
      await restored.prepare()
      expect(await answer(restored)).toEqual(expected)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('common bits', () => {
  const random = createRandom('common bits')
  const drawWords = (length: number) => Int32Array.from({ length }, () => random.below(2 ** 32))
  const countOf = (words: Int32Array) =>
    words.reduce((sum, word) => sum + (word >>> 0).toString(2).replaceAll('0', '').length, 0)

  // Longer than the memory of the module, and shorter again.
  test.each([0, 1, 15, 16, 17, 1000, 40_000, 100])(
    'counts the bits that sets of %d words share',
    (length) => {
      const words = drawWords(length)
      const others = [length, 0, 1, length >> 1, length + 1, length * 2].map(drawWords)
      const expected = others.map((other) => countOf(words.map((word, index) => word & (other[index] ?? 0))))
      expect(countCommonBits(words, others)).toEqual(expected)
      expect(countOneByOne(words, others)).toEqual(expected)
    },
  )

  test('uses vector instructions where the processor has them', () => {
    expect(countCommonBits).not.toBe(countOneByOne)
  })
})

test('values that nobody has any more leave their numbers to others', () => {
  const tags = new NumberedValues()
  tags.set(1, ['cozy', 'stars'])
  tags.set(2, ['cozy'])
  for (let edit = 0; edit < 1000; edit += 1) tags.set(1, ['cozy', `tag-${edit}`])
  expect(tags.values.length).toBeLessThan(5)
  expect(tags.list().toSorted()).toEqual(['cozy', 'tag-999'])
  const positionsOf = (value: string) => [...tags.findAny([value], new Bitset()).toArray()]
  expect([positionsOf('cozy'), positionsOf('tag-999'), positionsOf('tag-998')]).toEqual([[1, 2], [1], []])
  tags.set(1, [])
  expect(positionsOf('cozy')).toEqual([2])
})

describe('the values of many documents', () => {
  const DOCUMENTS = 6000
  const MOST = 10
  const random = createRandom('values')
  const tags = new NumberedValues()
  const lists: string[][] = []
  const alive = new Bitset()
  /** Some values are common, some rare, and the later ones new. */
  const set = (id: number, from: number) => {
    const numbers = Array.from({ length: 5 }, () => from + Math.floor(random.next() ** 4 * 300))
    lists[id] = [...new Set(numbers)].map((number) => `tag-${number}`)
    tags.set(id, lists[id])
    alive.add(id)
  }
  beforeAll(async () => {
    for (let id = 0; id < DOCUMENTS; id += 1) set(id, 0)
    await tags.prepare(DOCUMENTS, false)
    for (let changes = 0; changes < 400; changes += 1) set(random.below(DOCUMENTS + 50), 5)
  })

  const draw = (share: number) => {
    const matches = new Bitset()
    alive.forEach((id) => {
      if (random.chance(share)) matches.add(id)
    })
    return matches
  }

  test.each([0, 0.001, 0.05, 0.3, 0.6, 0.95, 1])('are counted: the most common of a share of %d', (share) => {
    const matches = draw(share)
    const expected = new Map<string, number>()
    for (const id of matches.toArray())
      for (const tag of lists[id] ?? []) expected.set(tag, (expected.get(tag) ?? 0) + 1)
    const sorted = [...expected].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    const least = sorted[MOST - 1]?.[1] ?? 0
    const counts = [...tags.countIn(matches, alive, MOST)]
    const found = counts.map((count, number) => [tags.values[number] ?? '', count] as const)
    const isMost = ([, count]: readonly [string, number]) => count > 0 && count >= least
    const byTag = ([a]: readonly [string, number], [b]: readonly [string, number]) => (a < b ? -1 : 1)
    expect(found.filter(isMost).sort(byTag)).toEqual(sorted.filter(isMost).sort(byTag))
  })

  test.each([1, 2, 7])('group documents by how many of %d they have', (wanted) => {
    const values = Array.from({ length: wanted }, (_, index) => `tag-${index * 3}`)
    const matches = draw(0.4)
    const countOf = (id: number) => values.filter((value) => lists[id]?.includes(value)).length
    const ids = [...matches.toArray()]
    const expected = Array.from({ length: wanted + 1 }, (_, fewer) =>
      ids.filter((id) => countOf(id) === wanted - fewer),
    ).filter(({ length }) => length > 0)
    const groups: number[][] = []
    for (const group of tags.groupByCount(matches, values)) groups.push([...group.toArray()])
    expect(groups).toEqual(expected)
    const count = tags.createCounter(values)
    expect(ids.map(count)).toEqual(ids.map(countOf))
  })
})
