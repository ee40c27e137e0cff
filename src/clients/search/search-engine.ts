import type { Facet, Sort, StoredFacet } from '../../domain/listings/facets.ts'
import type { SearchDocument } from '../../domain/listings/search-document.ts'

export const FACET_VALUES_MAX = 50

/** `platforms` holds the tokens of `platformToken`, so that os and arch match the same build. */
export type SearchField = StoredFacet | 'platforms' | 'developer'

/** The orders of the editor asset library, for searches that only match packages. */
export interface PackageSort {
  by: 'released' | 'published' | 'title' | 'license' | 'rating'
  descending: boolean
}

/** The last result that can be reached by paging. */
export const HITS_MAX = 10_000

/** Minimum word lengths at which one and two typos are tolerated. */
export const ONE_TYPO_FROM = 5
export const TWO_TYPOS_FROM = 8

/** The conditions a listing must meet. Values are already normalised, and unknown ones dropped. */
export type SearchFilter =
  | { kind: 'all'; of: readonly SearchFilter[] }
  | { kind: 'any'; of: readonly SearchFilter[] }
  | { kind: 'not'; of: SearchFilter }
  /** Has at least one of the values. */
  | { kind: 'has'; field: SearchField; values: readonly string[] }
  /** A single declared range matches every field that is not null. */
  | { kind: 'compat'; engine: string | null; version: string | null; renderer: string | null }
  /** Was published at this time or later, in milliseconds since 1970. */
  | { kind: 'since'; from: number }
  /** Both bounds are declared and include the number. */
  | { kind: 'players'; count: number }
  /** Costs at most this many cents. */
  | { kind: 'price'; most: number }
  | { kind: 'adult' }
  /** Is one of these listings. */
  | { kind: 'uids'; uids: readonly string[] }
  | PackageFilter

/** Has a package that is open or owned, by this author if not null; every word starts one of its title, author or tags. */
export interface PackageFilter {
  kind: 'package'
  ownedUids: readonly string[]
  author: string | null
  words: readonly string[]
}

/** A facet has its own filter, which omits the values selected in that facet. */
export type FacetRequest =
  | { facet: StoredFacet; filter: SearchFilter }
  /** Counts what was published since each of these times. */
  | { facet: 'released'; filter: SearchFilter; since: Readonly<Record<string, number>> }

/** A part of what a person typed. A listing has it when all words of one alternative stand on it somewhere. */
export interface FindTerm {
  /** As typed, or other words for the same. */
  alternatives: readonly (readonly string[])[]
  /**
   * `word`: one that may have typos. `beginning`: the same, and it may be incomplete. `exact`: in quotes, as they are and one
   * after the other in one field. `same`: a phrase and its other names, each as it is.
   */
  kind: 'word' | 'beginning' | 'exact' | 'same'
}

/** What the words of a person mean: every term must match, and none of the others. */
export interface Find {
  terms: readonly FindTerm[]
  /** Words that may not stand in name, tagline, description or titles of posts. */
  without: readonly (readonly string[])[]
}

export interface SearchQuery {
  /** Every word must match, the last one as a prefix; an empty text matches everything. */
  text: string
  /** Looks at developer, tags, facets and titles of posts besides, and needs every term of it too. */
  find?: Find
  filter: SearchFilter
  /** The requested tags: among otherwise equal listings, those with more of them come first. */
  tags: readonly string[]
  sort: Sort | PackageSort
  /** The sum of offset and limit never exceeds HITS_MAX. */
  offset: number
  limit: number
  facets: readonly FacetRequest[]
}

export interface SearchHit {
  uid: string
  /** From 0 to 1; always 0 without a text. */
  score: number
}

export interface FacetCount {
  value: string
  count: number
}

export const ENGINES = ['meilisearch', 'postgres'] as const
export type EngineName = (typeof ENGINES)[number]

export interface SearchHits {
  /** The engine that ran the search, which may be the fallback. */
  engine: EngineName
  hits: SearchHit[]
  total: number
  /** The most common values first, equally common ones alphabetically. */
  facets: Partial<Record<Facet, FacetCount[]>>
}

export interface SearchEngine {
  readonly name: EngineName
  search(query: SearchQuery): Promise<SearchHits>
}

/** An engine together with the documents it searches. */
export interface SearchIndex extends SearchEngine {
  /** Resolves when the engine has accepted the documents, which may be before they can be found. */
  upsert(documents: readonly SearchDocument[]): Promise<void>
  remove(uids: readonly string[]): Promise<void>
  /** Resolves when searches find everything accepted before. */
  settled(): Promise<void>
}

/** Aliases of architectures. */
const SAME_ARCHITECTURE: Readonly<Record<string, string>> = { arm: 'arm32', wasm: 'wasm32' }
const UNIVERSAL = 'universal'
const EVERY_ARCHITECTURE = ['x86_64', 'x86', 'arm64', 'arm32', 'wasm32', UNIVERSAL] as const

/** The token in `platforms` that a search for this platform looks for. */
export function platformToken(os: string, arch: string): string {
  return `${os}|${SAME_ARCHITECTURE[arch] ?? arch}`
}

/** All tokens that a build of this platform matches: a universal build runs on every architecture. */
export function platformTokens(os: string, arch: string): string[] {
  return arch === UNIVERSAL
    ? EVERY_ARCHITECTURE.map((every) => platformToken(os, every))
    : [platformToken(os, arch)]
}
