import type { Criterion } from '../jams.ts'

export interface RankedEntry {
  uid: string
  isDisqualified: boolean
}

/** A vote that counts; the stars stand in the order of the criteria. */
export interface CountedVote {
  entryUid: string
  scores: readonly number[]
}

interface Rules {
  criteria: readonly Pick<Criterion, 'primary'>[]
  /** An entry with fewer ratings is not ranked. */
  minRatings: number
}

export interface CriterionResult {
  mean: number | null
  adjusted: number | null
  rank: number | null
}

export interface EntryResult {
  entryUid: string
  /** Null: played, not ranked. */
  rank: number | null
  ratings: number
  score: number | null
  adjusted: number | null
  criteria: CriterionResult[]
}

/** The stars of an entry in one criterion, or in all of them. */
interface Tally {
  sum: number
  /** How many stars were summed. */
  stars: number
}

interface Standing extends Tally {
  entryUid: string
  adjusted: number
  /** Twice the number of ratings that the score is adjusted by, which is whole. */
  weight: number
}

/**
 * The mean of each entry, adjusted by `sqrt(min(n, m) / m)`, where m is the median number of ratings: few votes alone win
 * nothing. The primary criterion decides, or else the mean of all. Equal scores share a rank: 1, 2, 2, 4.
 */
export function computeResults(
  { criteria, minRatings }: Rules,
  entries: readonly RankedEntry[],
  votes: readonly CountedVote[],
): { median: number; results: EntryResult[] } {
  const sums = new Map(entries.map(({ uid }) => [uid, criteria.map(() => 0)]))
  const counts = new Map(entries.map(({ uid }) => [uid, 0]))
  for (const { entryUid, scores } of votes) {
    const own = sums.get(entryUid)
    if (!own) continue
    for (let index = 0; index < own.length; index += 1) own[index] = (own[index] ?? 0) + (scores[index] ?? 0)
    counts.set(entryUid, (counts.get(entryUid) ?? 0) + 1)
  }
  const median = computeMedian(
    entries.filter(({ isDisqualified }) => !isDisqualified).map(({ uid }) => counts.get(uid) ?? 0),
  )
  const primary = criteria.findIndex((criterion) => criterion.primary)
  const rankable = new Set(
    entries
      .filter(({ uid, isDisqualified }) => !isDisqualified && (counts.get(uid) ?? 0) >= minRatings)
      .map(({ uid }) => uid),
  )

  const tallyOf = (uid: string, index: number): Tally => {
    const own = sums.get(uid) ?? []
    const ratings = counts.get(uid) ?? 0
    if (index >= 0) return { sum: own[index] ?? 0, stars: ratings }
    return { sum: own.reduce((total, sum) => total + sum, 0), stars: ratings * own.length }
  }
  const judge = (index: number) => {
    const standings = entries.map(({ uid }) =>
      toStanding(uid, tallyOf(uid, index), counts.get(uid) ?? 0, median),
    )
    const ranks = computeRanks(standings.filter(({ entryUid }) => rankable.has(entryUid)))
    return new Map(
      standings.map(({ entryUid, sum, stars, adjusted }) => [
        entryUid,
        {
          mean: stars === 0 ? null : sum / stars,
          adjusted: stars === 0 ? null : adjusted,
          rank: ranks.get(entryUid) ?? null,
        },
      ]),
    )
  }
  const overall = judge(primary)
  const perCriterion = criteria.map((_, index) => judge(index))
  const results = entries.map(({ uid }) => {
    const { mean, adjusted, rank } = overall.get(uid) ?? UNRATED
    return {
      entryUid: uid,
      rank,
      ratings: counts.get(uid) ?? 0,
      score: mean,
      adjusted,
      criteria: perCriterion.map((criterion) => criterion.get(uid) ?? UNRATED),
    }
  })
  return { median, results }
}

const UNRATED: CriterionResult = { mean: null, adjusted: null, rank: null }

/** Of an even number the mean of the middle two; 0 of none. */
export function computeMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0
  return (low + high) / 2
}

/** A median of 0 adjusts nothing. */
function toStanding(entryUid: string, { sum, stars }: Tally, ratings: number, median: number): Standing {
  const counted = median === 0 ? 1 : Math.min(ratings, median)
  const mean = stars === 0 ? 0 : sum / stars
  const adjusted = mean * Math.sqrt(counted / (median === 0 ? 1 : median))
  return { entryUid, sum, stars, adjusted, weight: counted * 2 }
}

function computeRanks(standings: readonly Standing[]): Map<string, number> {
  const sorted = standings.toSorted(compareStandings)
  const ranks = new Map<string, number>()
  let rank = 0
  for (const [index, standing] of sorted.entries()) {
    const before = sorted[index - 1]
    if (!before || compareStandings(before, standing) !== 0) rank = index + 1
    ranks.set(standing.entryUid, rank)
  }
  return ranks
}

/** Differences below this may come from rounding. */
const ROUNDING = 1e-9

/** The highest score first. Scores that are about equal are compared by their squares in whole numbers. */
function compareStandings(one: Standing, other: Standing): number {
  const gap = other.adjusted - one.adjusted
  if (Math.abs(gap) > ROUNDING) return gap
  const left = BigInt(one.sum) ** 2n * BigInt(one.weight) * BigInt(other.stars) ** 2n
  const right = BigInt(other.sum) ** 2n * BigInt(other.weight) * BigInt(one.stars) ** 2n
  return left === right ? 0 : left < right ? 1 : -1
}
