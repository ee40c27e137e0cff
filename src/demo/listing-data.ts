import type { ChangelogItem } from '../domain/builds/changelog-items.ts'
import type { OperatingSystem } from '../domain/builds/platforms.ts'
import type { EngineRange } from '../domain/listings/engine-range.ts'
import type { LicenseKind } from '../domain/listings/licenses.ts'
import type { AssetType, Status } from '../domain/listings/listing.ts'
import type { ModSettings } from '../domain/listings/mod-settings.ts'
import type { PressKitValue } from '../domain/listings/press-kit.ts'
import type {
  AiUse,
  Authorship,
  ContentWarning,
  Genre,
  Input,
  Net,
  SessionBucket,
  Tone,
} from '../domain/listings/taxonomy.ts'
import type { Visibility } from '../domain/listings/visibility.ts'
import type { PaletteName } from './art/palettes.ts'
import type { SceneName } from './art/pictures.ts'
import type { DeveloperName } from './people.ts'

export interface DemoChange {
  title: string
  body: string
  version: string
  daysAgo: number
}

export interface DemoRelease {
  version: string
  title: string
  daysAgo: number
  changes: readonly ChangelogItem[]
}

export interface DemoApp {
  slug: string
  name: string
  systems: readonly OperatingSystem[]
}

/** One listing of the `listings/` files; other listings are referenced by vanity name. */
export interface DemoListing {
  vanityName: string
  name: string
  by: DeveloperName
  assetType: AssetType
  tagline: string
  /** Markdown; surrounding line breaks are trimmed. */
  description: string
  daysAgo: number
  /** The cover. */
  art: readonly [SceneName, PaletteName]
  /** The gallery, in the colours of the cover. */
  screens?: readonly SceneName[]
  tags: readonly string[]
  genres?: readonly Genre[]
  tone?: readonly Tone[]
  inputs?: readonly Input[]
  contentWarnings?: readonly ContentWarning[]
  engines?: readonly string[]
  sessionBucket?: SessionBucket
  net?: Net
  players?: readonly [least: number, most: number]
  authorship?: Authorship
  authorshipCredit?: string
  aiUses?: readonly AiUse[]
  /** Public by default. */
  visibility?: Visibility
  /** Released by default. */
  status?: Status
  website?: string
  adult?: boolean
  indexable?: boolean
  priceCents?: number
  editions?: readonly { name: string; priceCents: number; active?: boolean }[]
  anonymousDownloads?: boolean
  licenseKind?: LicenseKind
  parent?: string | { name: string; url: string }
  modSettings?: ModSettings
  engineCompat?: readonly EngineRange[]
  storeLinks?: readonly { platform: string; url: string }[]
  uses?: readonly string[]
  supports?: readonly string[]
  madeWith?: readonly string[]
  similar?: readonly string[]
  changelog?: readonly DemoChange[]
  /** The newest release, whose builds write the changelog entry. */
  release?: DemoRelease
  /** Programs besides the game, released with it. */
  otherApps?: readonly DemoApp[]
  press?: Partial<PressKitValue>
}

/** A range for any renderer and platform by default. */
export function works(
  engine: string,
  min_version: string,
  max_version: string,
  on: Partial<Pick<EngineRange, 'renderer' | 'platform'>> = {},
): EngineRange {
  return { engine, min_version, max_version, renderer: null, platform: null, ...on }
}
