import type { ChangelogItem } from '../domain/builds/changelog-items.ts'
import { BETA, DEV, STABLE } from '../domain/builds/channels.ts'
import type { Architecture, OperatingSystem } from '../domain/builds/platforms.ts'
import type { AssetType } from '../domain/listings/listing.ts'
import { createRandom } from '../lib/random.ts'
import type { DemoApp, DemoListing } from './listing-data.ts'
import { webFilesOf } from './web/games.ts'

type Platform = readonly [os: OperatingSystem, arch: Architecture]

export interface DemoBuild {
  version: string
  channel: string
  os: OperatingSystem
  arch: Architecture
  engineVersion: string | null
  title: string
  changelogItems: ChangelogItem[]
  daysAgo: number
  /** Null for the game itself. */
  app: DemoApp | null
}

const WINDOWS: Platform = ['windows', 'x86_64']
const LINUX: Platform = ['linux', 'x86_64']
const WEB: Platform = ['web', 'wasm32']
const PROGRAM_PLATFORMS: readonly (readonly Platform[])[] = [
  [WINDOWS, LINUX, ['macos', 'universal']],
  [WINDOWS, LINUX],
  [LINUX, WINDOWS, ['android', 'arm64']],
  [WINDOWS],
]
/** Content without its own code runs on every platform of its game. */
const CONTENT_PLATFORMS: readonly Platform[] = [
  ['windows', 'universal'],
  ['linux', 'universal'],
  ['macos', 'universal'],
]
/** Older than every version in the changelogs. */
const FIRST_VERSION = '0.0.9'
/** They have nothing to start. */
export const CONTENT_TYPES: ReadonlySet<AssetType> = new Set(['game_asset', 'dev_asset', 'mod', 'plugin'])

const ENGINE_VERSIONS: Readonly<Record<string, string>> = {
  godot: '4.4.1',
  bevy: '0.14.2',
  defold: '1.9.8',
  love2d: '11.5',
  phaser: '3.80.1',
  renpy: '8.3.4',
}

/** Plans the builds in upload order: earlier releases, the current one, and prereleases. */
export function planBuilds(listing: DemoListing): DemoBuild[] {
  const random = createRandom(`builds of ${listing.vanityName}`)
  const isContent = CONTENT_TYPES.has(listing.assetType)
  const native = isContent ? CONTENT_PLATFORMS : random.pick(PROGRAM_PLATFORMS)
  const platforms = webFilesOf(listing.vanityName) ? [...native, WEB] : native
  const [main] = platforms
  const newest = newestRelease(listing)
  const engineVersion = ENGINE_VERSIONS[listing.engines?.[0] ?? ''] ?? null
  const build = (
    channel: string,
    version: string,
    [os, arch]: Platform,
    daysAgo: number,
    app: DemoApp | null = null,
  ): DemoBuild => {
    const isNewest = version === newest.version && app === null
    return {
      version,
      channel,
      os,
      arch,
      app,
      daysAgo,
      engineVersion: isContent ? null : engineVersion,
      title: (isNewest && listing.release?.title) || `${listing.name} ${version}`,
      changelogItems: isNewest ? [...(listing.release?.changes ?? [])] : [],
    }
  }
  const builds = platforms.map((platform) => build(STABLE, newest.version, platform, newest.daysAgo))
  for (const app of listing.otherApps ?? []) {
    const places = app.systems.map((os): Platform => [os, 'x86_64'])
    builds.push(...places.map((place) => build(STABLE, newest.version, place, newest.daysAgo, app)))
  }
  if (!main || isContent) return builds
  if (newest.daysAgo < listing.daysAgo) builds.unshift(build(STABLE, FIRST_VERSION, main, listing.daysAgo))
  const later = Math.floor(newest.daysAgo / 2)
  if (random.chance(0.4)) builds.push(build(BETA, `${nextMinor(newest.version)}-beta.1`, main, later))
  if (random.chance(0.2)) builds.push(build(DEV, `${nextMinor(newest.version)}-dev.7`, main, later))
  return builds
}

function newestRelease({ release, changelog = [], daysAgo, status = 'released' }: DemoListing) {
  if (release) return release
  const [newest] = changelog.toSorted((a, b) => a.daysAgo - b.daysAgo)
  return newest ?? { version: status === 'released' ? '1.0.0' : '0.3.0', daysAgo }
}

function nextMinor(version: string): string {
  const [major = '1', minor = '0'] = version.split('.')
  return `${major}.${Number(minor) + 1}.0`
}
