import {
  FACETS,
  HITS_MAX,
  type SearchQuery,
  type Sort,
  SORTS,
} from '../../../clients/search/search-engine.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { parseVersion } from '../../../domain/listings/engine-range.ts'
import { LICENSE_KINDS } from '../../../domain/listings/licenses.ts'
import { ASSET_TYPES } from '../../../domain/listings/listing.ts'
import { normalizeSlug } from '../../../domain/listings/slugs.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../domain/listings/taxonomy.ts'
import { type Page, readPage } from '../../../lib/paging.ts'
import { QUERY_CHARACTERS_MAX } from '../../../lib/text/search-words.ts'
import { buildFilters, type Selection } from './filters.ts'
import { PIECES_MAX, VALUE_CHARACTERS_MAX, VALUES_MAX } from './model.ts'

/** Returns every value sent under a name, in order. */
export type SearchParameters = (name: string) => readonly string[]

export interface ReadQuery {
  page: Page
  query: SearchQuery
}

const INTEGER = /^[+-]?\d{1,9}$/
/** Replaces a value that is too long: it matches no listing, word or number. */
const NO_VALUE = '?'

interface QueryContext {
  /** Tags that the reader always hides. */
  hiddenTags?: readonly string[]
  /** The listings of the collection that was asked for; null for all. */
  among?: readonly string[] | null
}

/** Everything is optional, and invalid values are ignored. */
export function readQuery(
  read: SearchParameters,
  withAdult: boolean,
  { hiddenTags = [], among = null }: QueryContext = {},
): ReadQuery {
  const page = readPage({ page: read('page')[0], page_size: read('page_size')[0] })
  const selection = { ...readSelection(read, withAdult, hiddenTags), among }
  const { results, forFacet } = buildFilters(selection)
  const sort = read('sort')[0]
  return {
    page,
    query: {
      text: [...read('q'), ...read('search')].join(' ').slice(0, QUERY_CHARACTERS_MAX),
      filter: results,
      tags: selection.include.tags ?? [],
      sort: SORTS.find((known): known is Sort => known === sort) ?? 'relevance',
      ...readWindow(page),
      facets: FACETS.map((facet) => ({ facet, filter: forFacet(facet) })),
    },
  }
}

/** Pages beyond the engine's window are empty. */
function readWindow({ offset, page_size }: Page): Pick<SearchQuery, 'offset' | 'limit'> {
  if (offset >= HITS_MAX) return { offset: 0, limit: 0 }
  return { offset, limit: Math.min(page_size, HITS_MAX - offset) }
}

function readSelection(
  read: SearchParameters,
  withAdult: boolean,
  hiddenTags: readonly string[],
): Omit<Selection, 'among'> {
  const list = (...names: string[]) => splitValues(names.flatMap((name) => read(name)))
  const readAllowed = <Value extends string>(allowed: readonly Value[], ...names: string[]) =>
    list(...names).flatMap((text) => allowed.find((value) => value === text) ?? [])
  const slugs = (...names: string[]) => [...new Set(list(...names).map(normalizeSlug))]
  return {
    include: {
      asset_type: readAllowed(ASSET_TYPES, 'asset_type', 'type'),
      genres: readAllowed(GENRES, 'genres'),
      tags: slugs('tags'),
      tone: readAllowed(TONES, 'tone'),
      session_bucket: readAllowed(SESSION_BUCKETS, 'session_bucket'),
      net: readAllowed(NETS, 'net'),
      authorship: readAllowed(AUTHORSHIPS, 'authorship'),
      ai_uses: readAllowed(AI_USES, 'ai_uses'),
      // A single kind, not a list.
      license_kind: readAllowed(LICENSE_KINDS, 'license').slice(0, 1),
    },
    exclude: {
      asset_type: readAllowed(ASSET_TYPES, 'exclude_types'),
      genres: readAllowed(GENRES, 'exclude_genres'),
      tags: [...new Set([...slugs('exclude_tags'), ...hiddenTags])],
      tone: readAllowed(TONES, 'exclude_tone'),
      content_warnings: readAllowed(CONTENT_WARNINGS, 'exclude_warnings'),
      ai_uses: readAllowed(AI_USES, 'exclude_ai_uses'),
    },
    os: readAllowed(OPERATING_SYSTEMS, 'os'),
    arch: readAllowed(ARCHITECTURES, 'arch'),
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

/** Splits at commas and merges repeated parameters; drops empty and duplicate values. */
function splitValues(texts: readonly string[]): string[] {
  const values = texts
    .flatMap((text) => text.split(',', PIECES_MAX))
    .map((value) => value.trim())
    .map((value) => (value.length > VALUE_CHARACTERS_MAX ? NO_VALUE : value))
  return [...new Set(values)].filter((value) => value !== '').slice(0, VALUES_MAX)
}
