import {
  HITS_MAX,
  type PackageSort,
  type SearchFilter,
  type SearchQuery,
} from '../../clients/search/search-engine.ts'
import {
  EDITOR_CATEGORIES,
  EDITOR_ENGINE,
  type EditorCategory,
  PACKAGE_KINDS,
  type PackageKind,
} from '../../domain/listings/editor-packages.ts'
import { parseVersion } from '../../domain/listings/engine-range.ts'
import { normalizeSlug } from '../../domain/listings/slugs.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { parseUrl } from '../../lib/net/requests.ts'
import { clamp } from '../../lib/paging.ts'
import { QUERY_CHARACTERS_MAX, queryWordsOf } from '../../lib/text/search-words.ts'
import { PAGE_LENGTH, PAGE_LENGTH_MAX, STORE_PAGE_SIZE, SUPPORT_LEVEL, SUPPORT_LEVELS } from './model.ts'

/** What both protocols can ask for, as the catalog's query tree. */
interface PackageSelection {
  kind: PackageKind | 'any'
  categoryId?: number | null
  /** Licence kinds; null for all. */
  licenses?: readonly string[] | null
  tags?: readonly string[]
  /** null for all. */
  engineVersion: string | null
  author?: string | null
  /** Every word must start a word of title, author or tags. */
  words?: readonly string[]
  ownedUids: readonly string[]
}

/** The highest number of a version part. */
const LAST_PATCH = 999_999
const ENTRIES_MAX = 500
const CHARACTERS_MAX = 300
/** Only `updated` starts with the highest; `reverse` turns each order around. */
const SORTS = new Map<string, PackageSort>([
  ['name', { by: 'title', descending: false }],
  ['cost', { by: 'license', descending: false }],
  ['rating', { by: 'rating', descending: false }],
])
const UPDATED: PackageSort = { by: 'released', descending: true }
const OFFSET_MAX = 1_000_000
const STORE_SORTS = new Map<string, PackageSort>([
  ['updated_desc', { by: 'released', descending: true }],
  ['updated_asc', { by: 'released', descending: false }],
  ['reviews_desc', { by: 'rating', descending: true }],
  ['reviews_asc', { by: 'rating', descending: false }],
  ['created_desc', { by: 'published', descending: true }],
  ['created_asc', { by: 'published', descending: false }],
])
const TAG = /#([\p{L}\p{N}_-]+)/gu
const PAGE_MAX = 1_000_000
/** What the protocol calls a template. */
const STORE_PROJECTS = '1'

function buildPackageFilter(selection: PackageSelection): SearchFilter {
  const { licenses = null, tags = [], author = null, words = [], ownedUids } = selection
  return all(
    { kind: 'package', ownedUids, author, words },
    ...kindFilters(selection.kind),
    ...categoryFilters(selection.categoryId ?? null),
    ...(licenses ? [{ kind: 'has', field: 'license_kind', values: licenses } as const] : []),
    ...tags.map((tag) => ({ kind: 'has', field: 'tags', values: [tag] }) as const),
    ...(selection.engineVersion === null ? [] : [versionFilter(selection.engineVersion)]),
    { kind: 'not', of: { kind: 'adult' } },
  )
}

/** Pages beyond the engine's window are empty. */
function windowOf(offset: number, limit: number): Pick<SearchQuery, 'offset' | 'limit'> {
  if (offset >= HITS_MAX) return { offset: 0, limit: 0 }
  return { offset, limit: Math.min(limit, HITS_MAX - offset) }
}

/** The categories of projects come first, so every package that fits none of them is an add-on. */
const PROJECTS = anyOf(EDITOR_CATEGORIES.filter(({ kind }) => kind === 'project').map(fitsCategory))

function kindFilters(kind: PackageSelection['kind']): SearchFilter[] {
  if (kind === 'any') return []
  return [kind === 'project' ? PROJECTS : { kind: 'not', of: PROJECTS }]
}

/** The same rule as `categoryOf`: a listing belongs to the first category that fits. An unknown one matches nothing. */
function categoryFilters(id: number | null): SearchFilter[] {
  if (id === null) return []
  const index = EDITOR_CATEGORIES.findIndex((category) => category.id === id)
  const earlier = EDITOR_CATEGORIES.slice(0, Math.max(index, 0))
  const fits = anyOf(EDITOR_CATEGORIES.filter((category) => category.id === id).map(fitsCategory))
  return [fits, { kind: 'not', of: anyOf(earlier.map(fitsCategory)) }]
}

function fitsCategory({ tags, types }: EditorCategory): SearchFilter {
  return anyOf([
    { kind: 'has', field: 'tags', values: tags },
    { kind: 'has', field: 'asset_type', values: types },
  ])
}

/**
 * Editors only send `4.2`, so a range that begins or ends within that branch matches too. Packages without a range
 * match every version.
 */
function versionFilter(version: string): SearchFilter {
  const asked = parseVersion(version)
  const isBranch = asked !== null && asked.length < 3
  const versions = isBranch ? [version, [asked[0], asked[1] ?? LAST_PATCH, LAST_PATCH].join('.')] : [version]
  const inRange = (each: string | null): SearchFilter => ({
    kind: 'compat',
    engine: EDITOR_ENGINE,
    version: each,
    renderer: null,
  })
  return anyOf([{ kind: 'not', of: inRange(null) }, ...versions.map(inRange)])
}

function all(...of: SearchFilter[]): SearchFilter {
  return { kind: 'all', of }
}

function anyOf(of: readonly SearchFilter[]): SearchFilter {
  return { kind: 'any', of }
}

type ReadQuery<Query> = (sent: URLSearchParams, ownedUids: readonly string[]) => Query

/**
 * Editors of one version send the same few queries. Returning the same object for them also saves the search engine
 * from hashing it again.
 */
export function cacheQueries<Query extends object>(
  read: ReadQuery<Query>,
): (url: string, ownedUids: readonly string[]) => Query {
  const cached = new BoundedCache<Query>({ maxEntries: ENTRIES_MAX })
  return (url, ownedUids) => {
    const text = url.slice(url.indexOf('?') + 1)
    const isCached = ownedUids.length === 0 && text.length <= CHARACTERS_MAX
    const known = isCached ? cached.get(text) : undefined
    if (known) return known
    const query = read(parseUrl(url).searchParams, ownedUids)
    if (isCached) cached.set(text, query)
    return query
  }
}

interface LibraryQuery {
  kind: PackageKind | 'any'
  page: number
  pageLength: number
  /** null when no package can match. */
  query: SearchQuery | null
}

/** The parameters of `/asset`, as the reference server of the protocol reads them. Invalid values are ignored. */
export function parseLibraryQuery(sent: URLSearchParams, ownedUids: readonly string[]): LibraryQuery {
  const read = (name: string) => sent.get(name)?.trim() ?? ''
  const pageLength = clamp(read('max_results'), PAGE_LENGTH, 1, PAGE_LENGTH_MAX)
  const offset = sent.has('page')
    ? clamp(read('page'), 0, 0, OFFSET_MAX) * pageLength
    : clamp(read('offset'), 0, 0, OFFSET_MAX)
  const page = Math.floor(offset / pageLength)
  const [type, cost, category] = [read('type'), read('cost').toLowerCase(), read('category')]
  const kind = type === 'any' ? type : (PACKAGE_KINDS.find((known) => known === type) ?? 'addon')
  if (!allowsOurs(sent)) return { kind, page, pageLength, query: null }
  const sort = SORTS.get(read('sort')) ?? UPDATED
  return {
    kind,
    page,
    pageLength,
    query: {
      text: '',
      filter: buildPackageFilter({
        kind,
        categoryId: /^[1-9]\d{0,8}$/.test(category) ? Number(category) : null,
        licenses: cost === '' ? null : [cost],
        engineVersion: parseEngineVersion(read('godot_version')),
        author: read('user').toLowerCase() || null,
        words: queryWordsOf(read('filter')),
        ownedUids,
      }),
      tags: [],
      sort: { ...sort, descending: sort.descending !== sent.has('reverse') },
      ...windowOf(offset, pageLength),
      facets: [],
    },
  }
}

/** `any`, nothing and everything that is no version mean all versions. */
function parseEngineVersion(text: string): string | null {
  return parseVersion(text) === null ? null : text
}

/** `support=official+community` or `support[official]=1`; without a known level all are meant. */
function allowsOurs(sent: URLSearchParams): boolean {
  const asked = new Set([
    ...sent.getAll('support').flatMap((text) => text.split(/[\s+]+/)),
    ...SUPPORT_LEVELS.filter((level) => sent.has(`support[${level}]`)),
  ])
  const known = SUPPORT_LEVELS.filter((level) => asked.has(level))
  return known.length === 0 || known.includes(SUPPORT_LEVEL)
}

/** The parameters of `search/query/`. Invalid values are ignored; a tag is written into the text as `#tag`. */
export function parseStoreQuery(
  sent: URLSearchParams,
  ownedUids: readonly string[],
): { kind: PackageKind; query: SearchQuery } {
  const text = (sent.get('query') ?? '').slice(0, QUERY_CHARACTERS_MAX)
  const licenses = sent.getAll('licenses').map((license) => license.toLowerCase())
  const page = clamp(sent.get('page') ?? undefined, 1, 1, PAGE_MAX)
  const kind = sent.get('type') === STORE_PROJECTS ? 'project' : 'addon'
  const query: SearchQuery = {
    text: text.replace(TAG, ' '),
    filter: buildPackageFilter({
      kind,
      licenses: licenses.length === 0 ? null : licenses,
      tags: [...text.matchAll(TAG)].map(([, tag = '']) => normalizeSlug(tag)),
      engineVersion: parseEngineVersion(sent.get('compatibility') ?? ''),
      ownedUids,
    }),
    tags: [],
    sort: STORE_SORTS.get(sent.get('sort') ?? '') ?? 'relevance',
    ...windowOf((page - 1) * STORE_PAGE_SIZE, STORE_PAGE_SIZE),
    facets: [],
  }
  return { kind, query }
}

/** Counts the tags of all add-ons that anyone can install. */
export function tagsQuery(): SearchQuery {
  const filter = buildPackageFilter({ kind: 'addon', engineVersion: null, ownedUids: [] })
  return {
    text: '',
    filter,
    tags: [],
    sort: 'relevance',
    offset: 0,
    limit: 0,
    facets: [{ facet: 'tags', filter }],
  }
}
