import type { OperatingSystem } from '../../domain/platforms.ts'

/** What answers can be narrowed down by, each with counts per value. */
export const FACETS = [
  'asset_type',
  'genres',
  'tags',
  'tone',
  'session_bucket',
  'net',
  'authorship',
  'ai_uses',
  'content_warnings',
  'os',
  'license_kind',
  'engines',
] as const
export type Facet = (typeof FACETS)[number]
export const FACET_VALUES_MAX = 50

/** `platforms` holds the pairs of `platformToken`, so that os and arch are found on one build. */
export type SearchField = Facet | 'platforms'

export const SORTS = ['relevance', 'newest', 'updated'] as const
export type Sort = (typeof SORTS)[number]

/** Nobody turns pages further than this. */
export const HITS_MAX = 10_000

/** Letters from which on a word is also found with one and with two typos. */
export const ONE_TYPO_FROM = 5
export const TWO_TYPOS_FROM = 8

/** A declared range of engine versions; the platform it was declared for does not matter to a search. */
export interface CompatRange {
  engine: string
  min_version: string
  max_version: string
  /** null covers all. */
  renderer: string | null
}

/** One public listing as engines know it. Texts are as written: folding them is the engine's work. */
export interface SearchDocument {
  uid: string
  name: string
  tagline: string
  /** Plain text, without Markdown. */
  description: string
  asset_type: string
  genres: readonly string[]
  /** The developer's and the shown community tags. */
  tags: readonly string[]
  tone: readonly string[]
  session_bucket: string | null
  net: string | null
  authorship: string | null
  ai_uses: readonly string[]
  content_warnings: readonly string[]
  /** Of the clean builds that stable points at. */
  os: readonly string[]
  platforms: readonly string[]
  license_kind: string | null
  /** What it is made with. */
  engines: readonly string[]
  compat: readonly CompatRange[]
  /** null unless declared. */
  players_min: number | null
  players_max: number | null
  adult: boolean
  /** 1 for listings with launch problems. */
  health_penalty: 0 | 1
  /** Milliseconds since 1970. */
  published_at: number
  updated_at: number
}

/** What a listing must be like. Values have been normalised, and unknown ones dropped, before an engine sees them. */
export type SearchFilter =
  | { kind: 'all'; of: readonly SearchFilter[] }
  | { kind: 'any'; of: readonly SearchFilter[] }
  | { kind: 'not'; of: SearchFilter }
  /** Has at least one of the values. */
  | { kind: 'has'; field: SearchField; values: readonly string[] }
  /** One declared range fits all that is not null. */
  | { kind: 'compat'; engine: string | null; version: string | null; renderer: string | null }
  /** Both bounds are declared and include the number. */
  | { kind: 'players'; count: number }
  | { kind: 'adult' }

export interface SearchQuery {
  /** Every word is needed, the last one as a prefix; empty text browses. */
  text: string
  filter: SearchFilter
  /** Tags that were asked for: among equals, listings with more of them come first. */
  tags: readonly string[]
  sort: Sort
  /** Never past HITS_MAX together. */
  offset: number
  limit: number
  /** A facet is counted over the matches of its own filter, which leaves out what was picked in it. */
  facets: readonly { facet: Facet; filter: SearchFilter }[]
}

export interface SearchHit {
  uid: string
  /** 0 to 1; 0 without a text. */
  score: number
}

export interface FacetCount {
  value: string
  count: number
}

export const ENGINES = ['meilisearch', 'postgres'] as const
export type EngineName = (typeof ENGINES)[number]

export interface SearchHits {
  /** Who answered: one engine may stand in for another. */
  engine: EngineName
  hits: SearchHit[]
  total: number
  /** The most common values first, equally common ones in the order of their letters. */
  facets: Partial<Record<Facet, FacetCount[]>>
}

export interface SearchEngine {
  readonly name: EngineName
  search(query: SearchQuery): Promise<SearchHits>
}

/** An engine with the documents it searches. */
export interface SearchIndex extends SearchEngine {
  /** Resolves when the engine has taken the documents, not when they can be found. */
  upsert(documents: readonly SearchDocument[]): Promise<void>
  remove(uids: readonly string[]): Promise<void>
  /** Resolves when searches find everything taken before. */
  settled(): Promise<void>
}

/** Two names of one architecture. */
const SAME_ARCHITECTURE: Readonly<Record<string, string>> = { arm: 'arm32', wasm: 'wasm32' }
const UNIVERSAL = 'universal'
const EVERY_ARCHITECTURE = ['x86_64', 'x86', 'arm64', 'arm32', 'wasm32', UNIVERSAL] as const

/** What a search for this platform looks for in `platforms`. */
export function platformToken(os: OperatingSystem, arch: string): string {
  return `${os}|${SAME_ARCHITECTURE[arch] ?? arch}`
}

/** Every search that a build of this platform answers: a universal one runs everywhere. */
export function platformTokens(os: OperatingSystem, arch: string): string[] {
  return arch === UNIVERSAL
    ? EVERY_ARCHITECTURE.map((every) => platformToken(os, every))
    : [platformToken(os, arch)]
}
