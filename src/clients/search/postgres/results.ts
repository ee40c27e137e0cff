import type { Facet, FacetCount, SearchFilter, SearchHits, SearchQuery } from '../search-engine.ts'
import type { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'
import { createFacetCounter } from './count-facets.ts'
import { createEvaluator } from './evaluate.ts'
import { scoreMatches, type Scores } from './score.ts'
import type { TextMatch } from './text-match.ts'

/** All of a search that is the same on every page and in every order. */
export interface Results {
  matches: Bitset
  /** null without a text. */
  scores: Scores | null
  total: number
  facets: SearchHits['facets']
}

/** Counts of a facet that was picked from: the same whatever was picked, so often known already. */
export type KeepCounts = (facet: Facet, filter: SearchFilter, count: () => FacetCount[]) => FacetCount[]

export function findResults(
  columns: Columns,
  text: TextMatch | null,
  { filter, facets }: Pick<SearchQuery, 'filter' | 'facets'>,
  keepCounts: KeepCounts,
): Results {
  const matchesOf = createMatcher(columns, text)
  const matches = matchesOf(filter)
  const countFacet = createFacetCounter(columns)
  return {
    matches,
    scores: text && scoreMatches(columns, text, matches),
    total: matches.count(),
    facets: Object.fromEntries(
      facets.map(({ facet, filter: own }) => {
        const count = () => countFacet(facet, matchesOf(own))
        return [facet, own === filter ? count() : keepCounts(facet, own, count)]
      }),
    ),
  }
}

/** What fits a filter and the text. Facets often share a filter: each is worked out once. */
function createMatcher(columns: Columns, text: TextMatch | null): (filter: SearchFilter) => Bitset {
  const evaluate = createEvaluator(columns)
  if (text === null) return evaluate
  const known = new Map<SearchFilter, Bitset>()
  return (filter) => {
    const matches = known.get(filter) ?? evaluate(filter).copy().and(text.matches)
    known.set(filter, matches)
    return matches
  }
}
