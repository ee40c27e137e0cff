export const ASSET_TYPES = [
  'game',
  'application',
  'tool',
  'mod',
  'plugin',
  'game_asset',
  'dev_asset',
] as const
export type AssetType = (typeof ASSET_TYPES)[number]
export const TYPE_NAMES = {
  game: 'Game',
  application: 'Application',
  tool: 'Tool',
  mod: 'Mod',
  plugin: 'Plugin',
  game_asset: 'Game asset',
  dev_asset: 'Developer asset',
} as const satisfies Record<AssetType, string>

/** Whether a listing of this type has a parent; `required` means required for publishing. */
export const PARENT_RULES = {
  game: 'none',
  application: 'optional',
  tool: 'required',
  mod: 'required',
  plugin: 'required',
  game_asset: 'none',
  dev_asset: 'none',
} as const satisfies Record<AssetType, 'none' | 'optional' | 'required'>

export const PARENT_TYPES: readonly AssetType[] = ['game', 'application']
export const MODDING_TYPES: readonly AssetType[] = ['mod', 'plugin']

export const CHILD_KINDS = ['mod', 'tool'] as const
export type ChildKind = (typeof CHILD_KINDS)[number]

/** The section of the parent's page that lists the child. */
export function childKindOf(type: AssetType): ChildKind {
  return MODDING_TYPES.includes(type) ? 'mod' : 'tool'
}

export const STATUSES = ['released', 'in_development', 'prototype', 'on_hold', 'cancelled'] as const
export type Status = (typeof STATUSES)[number]
export const STATUS_DEFAULT: Status = 'in_development'

export const IMAGE_KINDS = ['cover', 'thumbnail', 'gallery'] as const
export type ImageKind = (typeof IMAGE_KINDS)[number]
/** Also stored with the pictures: the cover in more pixels, posters of videos, pictures of posts. */
export const STORED_IMAGE_KINDS = [...IMAGE_KINDS, 'wide', 'poster', 'post'] as const
export type StoredImageKind = (typeof STORED_IMAGE_KINDS)[number]

export const DEPENDENCY_KINDS = ['uses', 'supports', 'made_with'] as const
export type DependencyKind = (typeof DEPENDENCY_KINDS)[number]

interface DependencyRule {
  /** The types that it can point at. */
  targets: readonly AssetType[]
  /** The types that can have it. */
  sources: readonly AssetType[]
}

export const DEPENDENCY_RULES: Readonly<Record<DependencyKind, DependencyRule>> = {
  uses: { targets: ['game_asset', 'dev_asset', 'plugin'], sources: ASSET_TYPES },
  supports: { targets: ['game', 'application', 'tool'], sources: MODDING_TYPES },
  made_with: { targets: ['tool', 'application'], sources: ASSET_TYPES },
}
export const DEPENDENCIES_MAX = 50

export const LICENSE_KINDS = ['cc0', 'cc-by', 'cc-by-sa', 'paid', 'source-available', 'proprietary'] as const
export type LicenseKind = (typeof LICENSE_KINDS)[number]

/** How a player got a licence. */
export const LICENSE_SOURCES = ['claimed', 'granted', 'bought', 'key'] as const
export type LicenseSource = (typeof LICENSE_SOURCES)[number]
/** Licences that somebody paid for, or that were handed out as a key: their files stay when the page is hidden. */
export const PAID_SOURCES = ['bought', 'key'] as const satisfies readonly LicenseSource[]
