import { beforeAll, describe, expect, test } from 'bun:test'

import { Bitset } from '../../../../../../src/clients/search/postgres/index/bitset.ts'
import { NumberedValues } from '../../../../../../src/clients/search/postgres/index/numbered-values.ts'
import { createRandom } from '../../../../../../src/lib/random.ts'

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
