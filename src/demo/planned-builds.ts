import type { ChangelogItem } from '../domain/builds/build-fields.ts'
import { BETA, DEV, STABLE } from '../domain/builds/channels.ts'
import { findEntryPage } from '../domain/builds/files.ts'
import type { Launch } from '../domain/builds/launch.ts'
import type { Architecture, OperatingSystem } from '../domain/builds/platforms.ts'
import { categoryOf, EDITOR_ENGINE } from '../domain/listings/editor-packages.ts'
import type { AssetType } from '../domain/listings/listing.ts'
import type { RecordedEntry } from '../features/builds/contents/model.ts'
import { placeEntry } from '../features/builds/contents/record.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import { writeZip } from '../lib/bytes/zip-writer.ts'
import { createRandom } from '../lib/random.ts'
import { createBlockReader } from '../lib/zip/block-reader.ts'
import { readDirectory } from '../lib/zip/directory.ts'
import { type DemoApp, type DemoListing } from './data.ts'
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
/** Types of listings whose builds contain no program to start. */
const CONTENT_TYPES: ReadonlySet<AssetType> = new Set(['game_asset', 'dev_asset', 'mod', 'plugin'])

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

interface PackedBuild {
  filename: string
  bytes: Uint8Array
  entries: RecordedEntry[]
  entryPage: string | null
  launch: Launch | null
}

type Content = readonly [path: string, bytes: Uint8Array]
type Starter = readonly [extension: string, text: string]

const SHELL: Starter = ['sh', '#!/bin/sh\ncat "$(dirname "$0")/README.txt"\n']
const STARTERS: Partial<Record<OperatingSystem, Starter>> = {
  linux: SHELL,
  macos: SHELL,
  windows: ['bat', '@type "%~dp0README.txt"\r\n'],
}
const PIECES = 3
const PIECE_BYTES = 2048

/** Creates a small zip: a playable web build, or data with pieces of the asset packs the listing uses. */
export async function packBuild(listing: DemoListing, build: DemoBuild, madeAt: Date): Promise<PackedBuild> {
  const { version, os, app } = build
  const web = os === 'web' ? webFilesOf(listing.vanityName) : null
  const contents = web
    ? Object.entries(web).map(([path, text]): Content => [path, Buffer.from(text)])
    : programOf(listing, build)
  const launch = starterOf(listing, build)
  if (launch) contents.push(launch)
  const folders = listFolders(contents).map((folder): Content => [folder, new Uint8Array()])
  const entries = [...folders, ...contents].map(([path, bytes]) => ({
    name: path,
    modifiedAt: madeAt,
    isExecutable: path === launch?.[0],
    body: [bytes],
  }))
  const bytes = Buffer.concat(await Array.fromAsync(writeZip(entries)))
  return {
    filename: `${[listing.vanityName, app?.slug ?? []].flat().join('-')}-${version}-${os}.zip`,
    bytes,
    entries: await recordEntries(bytes, new Map(contents)),
    entryPage: findEntryPage(contents.map(([path]) => path)),
    launch: launch && { path: launch[0] },
  }
}

/** Lists the entries of the zip as the scan would record them. */
async function recordEntries(
  bytes: Uint8Array,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<RecordedEntry[]> {
  const read = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end))
  const reader = createBlockReader({ size: bytes.length, read })
  const files = (await readDirectory(reader)).filter(({ isFolder }) => !isFolder)
  return await Promise.all(
    files.map(async (entry) => ({
      path: entry.path,
      size: entry.size,
      sha256: sha256Hex(contents.get(entry.path) ?? new Uint8Array()),
      ...(await placeEntry(reader, entry)),
    })),
  )
}

function programOf(listing: DemoListing, { version, os, arch, app }: DemoBuild): Content[] {
  const { vanityName, name, tagline, uses = [] } = listing
  const program = app?.slug ?? vanityName
  return arrange(listing, [
    [
      'README.txt',
      Buffer.from(
        `${[name, app?.name ?? []].flat().join(', ')} ${version} for ${os} (${arch})\n\n${tagline}\n`,
      ),
    ],
    [`data/${program}.dat`, fill(`${program} ${version} ${os}`)],
    ...piecesOf(vanityName).map(([file, bytes]): Content => [`data/${file}`, bytes]),
    ...uses.flatMap((pack) =>
      piecesOf(pack).map(([file, bytes]): Content => [`assets/${pack}/${file}`, bytes]),
    ),
  ])
}

/** A program that prints what it is: there is nothing else to start in a demo. */
function starterOf(listing: DemoListing, { os, app }: DemoBuild): Content | null {
  const script = STARTERS[os]
  if (!script || CONTENT_TYPES.has(listing.assetType) || findCategory(listing)) return null
  const [extension, text] = script
  return [`${app?.slug ?? listing.vanityName}.${extension}`, Buffer.from(text)]
}

function findCategory(listing: DemoListing) {
  const isPackage = listing.engineCompat?.some(({ engine }) => engine === EDITOR_ENGINE) ?? false
  return isPackage ? categoryOf(listing) : null
}

/** Godot installs plugins from below `addons/`, and its project manager needs a `project.godot`. */
function arrange(listing: DemoListing, contents: readonly Content[]): Content[] {
  const { vanityName, name } = listing
  const category = findCategory(listing)
  if (!category) return [...contents]
  const folder = category.kind === 'project' ? vanityName : `${vanityName}/addons/${vanityName}`
  const placed = contents.map(([path, bytes]): Content => [`${folder}/${path}`, bytes])
  const project = `config_version=4\n\n[application]\n\nconfig/name="${name}"\n`
  return category.kind === 'project' ? [[`${folder}/project.godot`, Buffer.from(project)], ...placed] : placed
}

/** `a/b/c` is in `a/` and `a/b/`; outer folders come first. */
function listFolders(contents: readonly Content[]): string[] {
  const folders = contents.flatMap(([path]) =>
    path
      .split('/')
      .slice(0, -1)
      .map((_, index, names) => `${names.slice(0, index + 1).join('/')}/`),
  )
  return [...new Set(folders)]
}

/** Returns the same bytes for every version and every listing that uses the pack. */
function piecesOf(vanityName: string): Content[] {
  return Array.from({ length: PIECES }, (_, index) => [
    `piece-${index + 1}.bin`,
    fill(`${vanityName} piece ${index}`),
  ])
}

function fill(seed: string): Uint8Array {
  const random = createRandom(seed)
  return Uint8Array.from({ length: PIECE_BYTES }, () => random.below(256))
}
