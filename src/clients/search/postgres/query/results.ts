import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { FacetRequest, SearchFilter, SearchHits, SearchQuery } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import { createFacetCounter } from './count-facets.ts'
import { createEvaluator, type Evaluator } from './evaluate.ts'
import type { Scores } from './score.ts'

/** What the words of a search match. */
export interface WordMatch {
  matches: Bitset
  /** `depth` is how many of the best need a score; null for all. */
  score(matches: Bitset, depth: number | null): Promise<Scores>
}

/** The part of a search that does not depend on page or sort order. */
export interface Results {
  matches: Bitset
  /** Null without a text. */
  scores: Scores | null
  total: number
  facets: SearchHits['facets']
}

/** The first results of a text, in order. */
export interface FirstResults extends Pick<Results, 'total' | 'facets'> {
  ids: readonly number[]
  scores: readonly number[]
}

export interface ResultsQuery extends Pick<SearchQuery, 'filter' | 'facets'> {
  /** How many of the best matches need a score; null for all. */
  depth: number | null
}

type Counts = SearchHits['facets']

/** Loads what was counted under a key. */
export type LoadCounts = (key: string, count: () => Promise<Counts>) => Promise<Counts>

export async function findResults(
  columns: Columns,
  text: WordMatch | null,
  { filter, facets, depth }: ResultsQuery,
  loadCounts: LoadCounts,
): Promise<Results> {
  const matcher = createMatcher(columns, text)
  const matches = matcher.evaluate(filter)
  const countFacet = createFacetCounter(columns)
  const counted: Counts = {}
  const count = async (requests: readonly FacetRequest[], among: Bitset) => {
    const counts: Counts = {}
    for (const request of requests) {
      if (isSliceOver()) await nextSlice()
      counts[request.facet] = countFacet(request, among)
    }
    return counts
  }
  for (const [own, requests] of Map.groupBy(facets, (request) => request.filter)) {
    const among = matcher.evaluate(own)
    const [dated, others] = [requests.filter(isDated), requests.filter((request) => !isDated(request))]
    const key = countsKeyOf(among, others)
    // Counts of dates change with each minute, and are quick.
    Object.assign(counted, await loadCounts(key, () => count(others, among)), await count(dated, among))
  }
  matcher.releaseExcept(matches)
  const scores = text && (await text.score(matches, depth))
  return { matches, scores, total: matches.count(), facets: counted }
}

function isDated({ facet }: FacetRequest): boolean {
  return facet === 'released'
}

/** The same matches have the same counts, whatever was searched, and also when only texts have changed since. */
function countsKeyOf({ raw }: Bitset, requests: readonly FacetRequest[]): string {
  const bytes = new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength)
  return [Bun.SHA256.hash(bytes, 'base64url'), ...requests.map(({ facet }) => facet)].join(' ')
}

/** Evaluates filters together with the text. Facets often share a filter, so results are cached. */
function createMatcher(columns: Columns, text: WordMatch | null): Evaluator {
  const evaluator = createEvaluator(columns)
  if (text === null) return evaluator
  const known = new Map<SearchFilter, Bitset>()
  return {
    evaluate(filter) {
      const matches = known.get(filter) ?? evaluator.evaluate(filter).copy().and(text.matches)
      known.set(filter, matches)
      return matches
    },
    releaseExcept(needed) {
      evaluator.releaseExcept(needed)
      for (const bits of known.values()) if (bits !== needed) bits.release()
    },
  }
}

/** Estimates: the strings are shared with the index, so each entry is only a small object. */
const COUNT_BYTES = 64
const HIT_BYTES = 64
const NUMBER_BYTES = 8

export function bytesOfCounts(counts: Counts): number {
  return Object.values(counts).reduce((total, { length }) => total + length * COUNT_BYTES, 0)
}

export function bytesOfHits({ hits, facets }: Pick<SearchHits, 'hits' | 'facets'>): number {
  return bytesOfCounts(facets) + hits.length * HIT_BYTES
}

export function bytesOfFirst({ ids, scores, facets }: FirstResults): number {
  return (ids.length + scores.length) * NUMBER_BYTES + bytesOfHits({ hits: [], facets })
}

export function bytesOfResults({ matches, scores, facets }: Results): number {
  const scored = scores === null ? 0 : scores.ids.byteLength + scores.scores.byteLength
  return matches.bytes + scored + bytesOfHits({ hits: [], facets })
}
