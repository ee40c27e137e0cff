import { describe, expect, test } from 'bun:test'

import { computeMedian, computeResults } from '../../../../src/domain/jams/results.ts'
import { createRandom } from '../../../../src/lib/random.ts'

const ONE = [{ primary: false }]
const TWO = [{ primary: false }, { primary: false }]

const entry = (uid: string, isDisqualified = false) => ({ uid, isDisqualified })
const votesOf = (entryUid: string, ...scores: (number | number[])[]) =>
  scores.map((one) => ({ entryUid, scores: typeof one === 'number' ? [one] : one }))

function compute(
  entries: ReturnType<typeof entry>[],
  votes: ReturnType<typeof votesOf>,
  { criteria = ONE, minRatings = 1 } = {},
) {
  const { median, results } = computeResults({ criteria, minRatings }, entries, votes)
  return { median, byUid: Object.fromEntries(results.map((one) => [one.entryUid, one])) }
}

describe('the median', () => {
  test('is the middle number, or the mean of the middle two', () => {
    expect(computeMedian([5, 1, 3])).toBe(3)
    expect(computeMedian([4, 1, 2, 9])).toBe(3)
    expect(computeMedian([2, 1])).toBe(1.5)
    expect(computeMedian([])).toBe(0)
  })

  test('counts entries without ratings, but not disqualified ones', () => {
    const votes = [...votesOf('a', 5, 5, 5, 5), ...votesOf('b', 1, 1), ...votesOf('d', 3, 3, 3, 3, 3, 3)]
    expect(compute([entry('a'), entry('b'), entry('c'), entry('d', true)], votes).median).toBe(2)
  })
})

describe('scores', () => {
  test('are adjusted below the median only', () => {
    const votes = [...votesOf('a', 5), ...votesOf('b', 4, 4, 4, 4), ...votesOf('c', 2, 2, 2, 2, 2, 2)]
    const { median, byUid } = compute([entry('a'), entry('b'), entry('c')], votes)
    expect(median).toBe(4)
    expect(byUid.a).toMatchObject({ ratings: 1, score: 5, adjusted: 5 * Math.sqrt(1 / 4), rank: 2 })
    expect(byUid.b).toMatchObject({ ratings: 4, score: 4, adjusted: 4, rank: 1 })
    expect(byUid.c).toMatchObject({ ratings: 6, score: 2, adjusted: 2, rank: 3 })
  })

  test('are null without ratings, and unadjusted where the median is 0', () => {
    const { median, byUid } = compute([entry('a'), entry('b'), entry('c')], votesOf('a', 3))
    expect(median).toBe(0)
    expect(byUid.a).toMatchObject({ score: 3, adjusted: 3, rank: 1 })
    expect(byUid.b).toMatchObject({ ratings: 0, score: null, adjusted: null, rank: null })
  })

  test('come from the primary criterion, or else from all', () => {
    const votes = [...votesOf('a', [5, 1], [5, 2]), ...votesOf('b', [3, 5], [3, 4])]
    const all = compute([entry('a'), entry('b')], votes, { criteria: TWO })
    expect(all.byUid.a?.score).toBe(13 / 4)
    expect(all.byUid.b).toMatchObject({ score: 15 / 4, rank: 1 })
    const primary = compute([entry('a'), entry('b')], votes, {
      criteria: [{ primary: true }, { primary: false }],
    })
    expect(primary.byUid.a).toMatchObject({ score: 5, rank: 1 })
    expect(primary.byUid.a?.criteria).toEqual([
      { mean: 5, adjusted: 5, rank: 1 },
      { mean: 1.5, adjusted: 1.5, rank: 2 },
    ])
  })
})

describe('ranks', () => {
  test('share ties: 1, 2, 2, 4', () => {
    const entries = ['a', 'b', 'c', 'd'].map((uid) => entry(uid))
    const votes = [...votesOf('a', 5), ...votesOf('b', 4), ...votesOf('c', 4), ...votesOf('d', 1)]
    const { byUid } = compute(entries, votes)
    expect(entries.map(({ uid }) => byUid[uid]?.rank)).toEqual([1, 2, 2, 4])
  })

  test('see ties that rounding would hide', () => {
    // With the median 3: 4 × sqrt(3 / 3) of three votes, and the same from other numbers.
    const votes = [
      ...votesOf('a', [1, 1, 2], [1, 1, 2], [1, 1, 2]),
      ...votesOf('b', [2, 1, 1], [2, 1, 1], [2, 1, 1]),
      ...votesOf('c', [4, 0, 0]),
    ]
    const criteria = [{ primary: false }, { primary: false }, { primary: false }]
    const { byUid } = compute([entry('a'), entry('b'), entry('c')], votes, { criteria })
    expect([byUid.a?.rank, byUid.b?.rank]).toEqual([1, 1])
    expect(byUid.c?.rank).toBe(3)
  })

  test('are given from the least number of ratings on, and never to the disqualified', () => {
    const votes = [...votesOf('a', 5, 5), ...votesOf('b', 4, 4, 4), ...votesOf('c', 5, 5, 5)]
    const { byUid } = compute([entry('a'), entry('b'), entry('c', true)], votes, { minRatings: 3 })
    expect(byUid.a).toMatchObject({ rank: null, ratings: 2, score: 5 })
    expect(byUid.b).toMatchObject({ rank: 1 })
    expect(byUid.c).toMatchObject({ rank: null, ratings: 3 })
    expect(byUid.c?.criteria[0]?.rank).toBeNull()
  })

  test('do not depend on the order of entries and votes', () => {
    const random = createRandom('order')
    const entries = Array.from({ length: 30 }, (_, index) => entry(`e${index}`, index === 7))
    const votes = Array.from({ length: 400 }, () =>
      votesOf(random.pick(entries).uid, [1 + random.below(5), 1 + random.below(5)]),
    ).flat()
    const { byUid } = compute(entries, votes, { criteria: TWO, minRatings: 5 })
    const mixed = compute(random.draw(entries, 30), random.draw(votes, 400), { criteria: TWO, minRatings: 5 })
    expect(mixed.byUid).toEqual(byUid)
  })

  test('ignore votes for entries that are gone', () => {
    expect(compute([entry('a')], votesOf('gone', 5)).byUid.a?.ratings).toBe(0)
  })
})
