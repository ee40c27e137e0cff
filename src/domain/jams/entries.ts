import type { OperatingSystem } from '../builds/platforms.ts'
import type { AssetType } from '../listings/listing.ts'

/** What a listing lacks to be entered into a jam, in the order in which a page names it. */
export const ENTRY_FAULTS = ['build', 'cover', 'tagline', 'type', 'platform', 'web', 'made_during'] as const
export type EntryFault = (typeof ENTRY_FAULTS)[number]

export const ENTRY_FAULT_TEXTS: Readonly<Record<EntryFault, string>> = {
  build: 'Release a build on stable, and wait until its scan is done.',
  cover: 'Upload a cover.',
  tagline: 'Write a tagline.',
  type: 'The jam takes other kinds of listings.',
  platform: 'Release a build for one of the systems of the jam.',
  web: 'Release a web build that opens in a browser.',
  made_during: 'The jam takes only listings that were made after its start.',
}

/** The longest name of a jam in an address: a slug or a uid. */
export const JAM_REF_MAX = 100

export const ENTRY_SORTS = ['newest', 'random', 'most_rated', 'least_rated'] as const
export type EntrySort = (typeof ENTRY_SORTS)[number]

/** Whether the visitor played or fetched an entry. */
export const PLAYED_FILTERS = ['played', 'not_yet'] as const
export type PlayedFilter = (typeof PLAYED_FILTERS)[number]

/** Files of an entry that an answer lists. */
export const ENTRY_FILES_MAX = 20

/** Seconds between two reports of the play page in a jam, and the most that one report can add. */
export const JAM_BEAT_SECONDS = 15
export const JAM_BEAT_MAX_SECONDS = 30

/** How long a pinning waits for scans of files that arrived in time. */
export const SCAN_WAIT_MINUTES = 10

/** The rules of a jam about what may be entered. */
export interface EntryRules {
  types: readonly AssetType[]
  platforms: readonly OperatingSystem[]
  webRequired: boolean
  madeDuring: boolean
  startsAt: Date
}

/** What a listing has. */
export interface EntryFacts {
  assetType: AssetType
  tagline: string
  createdAt: Date
  hasCover: boolean
  /** Systems with a clean stable file of the main app. */
  systems: readonly OperatingSystem[]
  /** Whether one of those opens in a browser. */
  isPlayable: boolean
}

type Check = (facts: EntryFacts, rules: EntryRules) => boolean

const FAILS: Readonly<Record<EntryFault, Check>> = {
  build: ({ systems }) => systems.length === 0,
  cover: ({ hasCover }) => !hasCover,
  tagline: ({ tagline }) => tagline.trim() === '',
  type: ({ assetType }, { types }) => types.length > 0 && !types.includes(assetType),
  platform: ({ systems }, { platforms }) =>
    platforms.length > 0 && !systems.some((system) => platforms.includes(system)),
  web: ({ isPlayable }, { webRequired }) => webRequired && !isPlayable,
  made_during: ({ createdAt }, { madeDuring, startsAt }) => madeDuring && createdAt < startsAt,
}

/** Everything that is missing, at once. */
export function checkEntry(facts: EntryFacts, rules: EntryRules): EntryFault[] {
  return ENTRY_FAULTS.filter((fault) => FAILS[fault](facts, rules))
}
