import type { PackageSort, SearchQuery } from '../../clients/search/search-engine.ts'
import type { PackageKind } from '../../domain/listings/editor-packages.ts'
import { normalizeSlug } from '../../domain/listings/slugs.ts'
import { clamp } from '../../lib/paging.ts'
import { QUERY_CHARACTERS_MAX } from '../../lib/text/search-words.ts'
import { readVersion } from './library-query.ts'
import { buildPackageFilter, windowOf } from './package-filter.ts'
import { STORE_PAGE_SIZE } from './store-model.ts'

const SORTS = new Map<string, PackageSort>([
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
const PROJECTS = '1'

/** The parameters of `search/query/`. Invalid values are ignored; a tag is written into the text as `#tag`. */
export function readStoreQuery(
  sent: URLSearchParams,
  ownedUids: readonly string[],
): { kind: PackageKind; query: SearchQuery } {
  const text = (sent.get('query') ?? '').slice(0, QUERY_CHARACTERS_MAX)
  const licenses = sent.getAll('licenses').map((license) => license.toLowerCase())
  const page = clamp(sent.get('page') ?? undefined, 1, 1, PAGE_MAX)
  const kind = sent.get('type') === PROJECTS ? 'project' : 'addon'
  const query: SearchQuery = {
    text: text.replace(TAG, ' '),
    filter: buildPackageFilter({
      kind,
      licenses: licenses.length === 0 ? null : licenses,
      tags: [...text.matchAll(TAG)].map(([, tag = '']) => normalizeSlug(tag)),
      engineVersion: readVersion(sent.get('compatibility') ?? ''),
      ownedUids,
    }),
    tags: [],
    sort: SORTS.get(sent.get('sort') ?? '') ?? 'relevance',
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
