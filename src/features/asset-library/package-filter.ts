import { HITS_MAX, type SearchFilter, type SearchQuery } from '../../clients/search/search-engine.ts'
import {
  EDITOR_CATEGORIES,
  EDITOR_ENGINE,
  type EditorCategory,
  type PackageKind,
} from '../../domain/listings/editor-packages.ts'
import { parseVersion } from '../../domain/listings/engine-range.ts'

/** What both protocols can ask for, as the catalog's query tree. */
export interface PackageSelection {
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

export function buildPackageFilter(selection: PackageSelection): SearchFilter {
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
export function windowOf(offset: number, limit: number): Pick<SearchQuery, 'offset' | 'limit'> {
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
