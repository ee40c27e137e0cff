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

/** Whether a listing of this type has a parent; `required` is needed to go public. */
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

/** What a child counts as on its parent's page. */
export function childKindOf(type: AssetType): ChildKind {
  return MODDING_TYPES.includes(type) ? 'mod' : 'tool'
}
