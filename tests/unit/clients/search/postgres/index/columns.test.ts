import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Columns } from '../../../../../../src/clients/search/postgres/index/columns.ts'
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
