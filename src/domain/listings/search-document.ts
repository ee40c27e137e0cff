import type { FacetValues, PriceBand } from './facets.ts'

/** A declared range of engine versions; searches ignore the platform it was declared for. */
export interface CompatRange {
  engine: string
  min_version: string
  max_version: string
  /** Null covers every renderer. */
  renderer: string | null
}

/** What the editor asset library searches of a listing that can be installed from an editor. */
export interface SearchPackage {
  title: string
  author: string
  /** Whether anyone can download it, without a licence. */
  open: boolean
  /** How many players recommend it. */
  rating: number
  /** When its newest clean stable file was uploaded, in milliseconds since 1970. */
  released_at: number
}

/** A public listing as the engines index it. Texts are unmodified: each engine normalises them itself. */
export interface SearchDocument extends FacetValues {
  uid: string
  name: string
  tagline: string
  /** Plain text, without Markdown. */
  description: string
  /** Of its newest posts. What a person types is looked for in them, but no text of a program. */
  post_titles: readonly string[]
  /** The username, and the name beside it if that is another one. */
  developer: string
  developer_name: string | null
  /** The developer's tags and the community tags that are shown. */
  tags: readonly string[]
  /** Operating systems of the clean builds that stable points at. */
  os: readonly string[]
  platforms: readonly string[]
  price: PriceBand
  price_cents: number
  /** The averages that its reviews reach, from a few reviews on. */
  rating: readonly string[]
  /** What its reviews are sure to be worth, in millionths. */
  rated: number
  /** Grows with players and downloads of the last weeks. */
  popularity: number
  /** `true` if a browser can play it. */
  playable: readonly string[]
  compat: readonly CompatRange[]
  /** Null if not declared. */
  players_min: number | null
  players_max: number | null
  adult: boolean
  /** 1 for listings with launch problems. */
  health_penalty: 0 | 1
  /** Milliseconds since 1970. */
  published_at: number
  updated_at: number
  package: SearchPackage | null
}
