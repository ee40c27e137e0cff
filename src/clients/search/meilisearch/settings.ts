import type { Settings } from 'meilisearch'

import { FACETS, ONE_TYPO_FROM, TWO_TYPOS_FROM } from '../search-engine.ts'

/** Far more than the facets show, so that the ones at the end are those first in the alphabet. */
const FACET_VALUES_READ = 200

const FILTERED = [...FACETS, 'platforms', 'ranges', 'players_min', 'players_max', 'adult']

/** How the index is set up. Lists whose order means nothing are sorted, as the engine tells them. */
export const INDEX_SETTINGS = {
  // What a query sorts by comes before its text: launch problems, or the dates of the other two sorts. Where a word
  // stands counts more than what stands beside it.
  rankingRules: [
    ...['sort', 'words', 'typo', 'attribute', 'proximity', 'exactness'],
    ...['published_at:desc', 'uid:desc'],
  ],
  searchableAttributes: ['name', 'tagline', 'description'],
  filterableAttributes: FILTERED.toSorted(),
  sortableAttributes: ['health_penalty', 'published_at', 'uid', 'updated_at'],
  typoTolerance: { minWordSizeForTypos: { oneTypo: ONE_TYPO_FROM, twoTypos: TWO_TYPOS_FROM } },
  faceting: { maxValuesPerFacet: FACET_VALUES_READ, sortFacetValuesBy: { '*': 'count' } },
  // Beyond it, totals would be cut too.
  pagination: { maxTotalHits: 2 ** 31 - 1 },
  facetSearch: false,
  // What is cut off counts too little, so it ends only what nobody waits for any longer.
  searchCutoffMs: 5000,
} satisfies Settings

/** Whether the index says all this of itself; what is not set here may be as it likes. */
export function hasSettings(found: unknown, wanted: unknown = INDEX_SETTINGS): boolean {
  if (Array.isArray(wanted) || typeof wanted !== 'object' || wanted === null) {
    return Bun.deepEquals(found, wanted)
  }
  return Object.entries(wanted).every(([name, value]) =>
    hasSettings((found as Record<string, unknown> | undefined)?.[name], value),
  )
}
