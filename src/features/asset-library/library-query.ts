import type { PackageSort, SearchQuery } from '../../clients/search/search-engine.ts'
import { PACKAGE_KINDS, type PackageKind } from '../../domain/listings/editor-packages.ts'
import { parseVersion } from '../../domain/listings/engine-range.ts'
import { clamp } from '../../lib/paging.ts'
import { queryWordsOf } from '../../lib/text/search-words.ts'
import { PAGE_LENGTH, PAGE_LENGTH_MAX, SUPPORT_LEVEL, SUPPORT_LEVELS } from './model.ts'
import { buildPackageFilter, windowOf } from './package-filter.ts'

export interface LibraryQuery {
  kind: PackageKind | 'any'
  page: number
  pageLength: number
  /** null when no package can match. */
  query: SearchQuery | null
}

/** Only `updated` starts with the highest; `reverse` turns each order around. */
const SORTS = new Map<string, PackageSort>([
  ['name', { by: 'title', descending: false }],
  ['cost', { by: 'license', descending: false }],
  ['rating', { by: 'rating', descending: false }],
])
const UPDATED: PackageSort = { by: 'released', descending: true }
const OFFSET_MAX = 1_000_000

/** The parameters of `/asset`, as the reference server of the protocol reads them. Invalid values are ignored. */
export function readLibraryQuery(sent: URLSearchParams, ownedUids: readonly string[]): LibraryQuery {
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
        engineVersion: readVersion(read('godot_version')),
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
export function readVersion(text: string): string | null {
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
