import type { Settings } from 'meilisearch'

import { STORED_FACETS } from '../../../domain/listings/facets.ts'
import { ONE_TYPO_FROM, TWO_TYPOS_FROM } from '../search-engine.ts'
import { STANDARD_SYNONYMS } from './same-words.ts'

/** More than are shown, so that ties at the end are broken alphabetically instead of by the engine. */
const FACET_VALUES_READ = 200

const FILTERED = [
  ...STORED_FACETS,
  'platforms',
  'developer',
  'ranges',
  'players_min',
  'players_max',
  'published_at',
  'adult',
  'uid',
]

/** The index settings. Lists without a meaningful order are sorted, as the engine returns them. */
export const INDEX_SETTINGS = {
  // A query's `sort` comes before its text: launch problems for relevance, or what the other sorts are named
  // after. The attribute in which a word occurs ranks above proximity.
  rankingRules: [
    'sort',
    'words',
    'typo',
    'attribute',
    'proximity',
    'exactness',
    'published_at:desc',
    'uid:desc',
  ],
  // In the order of their weight.
  searchableAttributes: [
    'name',
    'developer_words',
    'told_words',
    'fact_words',
    'tagline',
    'description',
    'post_words',
  ],
  filterableAttributes: FILTERED.toSorted(),
  sortableAttributes: [
    'health_penalty',
    'name',
    'popularity',
    'price_cents',
    'published_at',
    'rated',
    'uid',
    'updated_at',
  ],
  synonyms: STANDARD_SYNONYMS,
  typoTolerance: { minWordSizeForTypos: { oneTypo: ONE_TYPO_FROM, twoTypos: TWO_TYPOS_FROM } },
  faceting: { maxValuesPerFacet: FACET_VALUES_READ, sortFacetValuesBy: { '*': 'count' } },
  // A lower limit would also cap the totals.
  pagination: { maxTotalHits: 2 ** 31 - 1 },
  facetSearch: false,
  // A search that is cut off returns wrong totals, so the cutoff is longer than any client waits.
  searchCutoffMs: 5000,
} satisfies Settings

/** Whether the index has all of these settings; settings not listed here may differ. */
export function hasSettings(found: unknown, wanted: unknown = INDEX_SETTINGS): boolean {
  if (Array.isArray(wanted) || typeof wanted !== 'object' || wanted === null) {
    return Bun.deepEquals(found, wanted)
  }
  return Object.entries(wanted).every(([name, value]) =>
    hasSettings((found as Record<string, unknown> | undefined)?.[name], value),
  )
}
