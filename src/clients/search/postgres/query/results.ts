import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { FacetCount, FacetRequest, SearchFilter, SearchHits, SearchQuery } from '../../search-engine.ts'
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

/** Loads the counts of a facet with a selection. They do not depend on it, so they are often cached. */
export type LoadCounts = (request: FacetRequest, count: () => Promise<FacetCount[]>) => Promise<FacetCount[]>

export async function findResults(
  columns: Columns,
  text: WordMatch | null,
  { filter, facets, depth }: ResultsQuery,
  loadCounts: LoadCounts,
): Promise<Results> {
  const matcher = createMatcher(columns, text)
  const matches = matcher.evaluate(filter)
  const countFacet = createFacetCounter(columns)
  const counted: SearchHits['facets'] = {}
  for (const request of facets) {
    const count = async () => countFacet(request, matcher.evaluate(request.filter))
    if (isSliceOver()) await nextSlice()
    counted[request.facet] = await (request.filter === filter ? count() : loadCounts(request, count))
  }
  matcher.releaseExcept(matches)
  const scores = text && (await text.score(matches, depth))
  return { matches, scores, total: matches.count(), facets: counted }
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

export function bytesOfCounts(counts: readonly FacetCount[]): number {
  return counts.length * COUNT_BYTES
}

export function bytesOfHits({ hits, facets }: Pick<SearchHits, 'hits' | 'facets'>): number {
  const counts = Object.values(facets).reduce((total, list) => total + bytesOfCounts(list), 0)
  return counts + hits.length * HIT_BYTES
}

export function bytesOfFirst({ ids, scores, facets }: FirstResults): number {
  return (ids.length + scores.length) * NUMBER_BYTES + bytesOfHits({ hits: [], facets })
}

export function bytesOfResults({ matches, scores, facets }: Results): number {
  const scored = scores === null ? 0 : scores.ids.byteLength + scores.scores.byteLength
  return matches.bytes + scored + bytesOfHits({ hits: [], facets })
}
