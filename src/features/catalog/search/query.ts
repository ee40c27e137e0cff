import {
  FACETS,
  HITS_MAX,
  type SearchQuery,
  type Sort,
  SORTS,
} from '../../../clients/search/search-engine.ts'
import { parseVersion } from '../../../domain/engine-range.ts'
import { LICENSE_KINDS } from '../../../domain/licenses.ts'
import { ASSET_TYPES } from '../../../domain/listing.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/platforms.ts'
import { normalizeSlug } from '../../../domain/slugs.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../domain/taxonomy.ts'
import { type Page, readPage } from '../../../lib/paging.ts'
import { QUERY_CHARACTERS_MAX } from '../../../lib/search-words.ts'
import { buildFilters, type Picked } from './filters.ts'
import { VALUE_CHARACTERS_MAX, VALUES_MAX } from './model.ts'

/** Every value that was sent under a name, in order. */
export type SearchParameters = (name: string) => readonly string[]

export interface ReadQuery {
  page: Page
  query: SearchQuery
}

const INTEGER = /^[+-]?\d{1,9}$/
/** In place of a value that is too long: no listing has it, and it is no known word or number. */
const NO_VALUE = '?'

/** Everything is optional, and nothing that was sent is a fault. */
export function readQuery(
  read: SearchParameters,
  withAdult: boolean,
  hiddenTags: readonly string[] = [],
): ReadQuery {
  const page = readPage({ page: read('page')[0], page_size: read('page_size')[0] })
  const picked = readPicked(read, withAdult, hiddenTags)
  const { results, forFacet } = buildFilters(picked)
  const sort = read('sort')[0]
  return {
    page,
    query: {
      text: [...read('q'), ...read('search')].join(' ').slice(0, QUERY_CHARACTERS_MAX),
      filter: results,
      tags: picked.include.tags ?? [],
      sort: SORTS.find((known): known is Sort => known === sort) ?? 'relevance',
      ...readWindow(page),
      facets: FACETS.map((facet) => ({ facet, filter: forFacet(facet) })),
    },
  }
}

/** Pages past the end of what can be turned to are empty. */
function readWindow({ offset, page_size }: Page): Pick<SearchQuery, 'offset' | 'limit'> {
  if (offset >= HITS_MAX) return { offset: 0, limit: 0 }
  return { offset, limit: Math.min(page_size, HITS_MAX - offset) }
}

function readPicked(read: SearchParameters, withAdult: boolean, hiddenTags: readonly string[]): Picked {
  const list = (...names: string[]) => splitValues(names.flatMap((name) => read(name)))
  const known = <Value extends string>(allowed: readonly Value[], ...names: string[]) =>
    list(...names).flatMap((text) => allowed.find((value) => value === text) ?? [])
  const slugs = (...names: string[]) => [...new Set(list(...names).map(normalizeSlug))]
  return {
    include: {
      asset_type: known(ASSET_TYPES, 'asset_type', 'type'),
      genres: known(GENRES, 'genres'),
      tags: slugs('tags'),
      tone: known(TONES, 'tone'),
      session_bucket: known(SESSION_BUCKETS, 'session_bucket'),
      net: known(NETS, 'net'),
      authorship: known(AUTHORSHIPS, 'authorship'),
      ai_uses: known(AI_USES, 'ai_uses'),
      // One kind, not a list.
      license_kind: known(LICENSE_KINDS, 'license').slice(0, 1),
    },
    exclude: {
      asset_type: known(ASSET_TYPES, 'exclude_types'),
      genres: known(GENRES, 'exclude_genres'),
      tags: [...new Set([...slugs('exclude_tags'), ...hiddenTags])],
      tone: known(TONES, 'exclude_tone'),
      content_warnings: known(CONTENT_WARNINGS, 'exclude_warnings'),
      ai_uses: known(AI_USES, 'exclude_ai_uses'),
    },
    os: known(OPERATING_SYSTEMS, 'os'),
    arch: known(ARCHITECTURES, 'arch'),
    engines: slugs('engine'),
    engineVersion:
      list('engine_version').find((text) => text === NO_VALUE || parseVersion(text) !== null) ?? null,
    renderer: slugs('renderer')[0] ?? null,
    players:
      list('players')
        .filter((text) => INTEGER.test(text))
        .map(Number)[0] ?? null,
    withAdult,
  }
}

/** Several values come with commas or by repeating the parameter; empty ones and repetitions say nothing. */
function splitValues(texts: readonly string[]): string[] {
  const values = texts
    .flatMap((text) => text.split(','))
    .map((value) => value.trim())
    .map((value) => (value.length > VALUE_CHARACTERS_MAX ? NO_VALUE : value))
  return [...new Set(values)].filter((value) => value !== '').slice(0, VALUES_MAX)
}
