import type { AssetType } from './listing.ts'

/** The engine whose editors read the asset library. */
export const EDITOR_ENGINE = 'godot'

/** The listings that can be installed from inside an editor. */
export const PACKAGE_TYPES: readonly AssetType[] = ['plugin', 'tool', 'dev_asset', 'game_asset']

/** A listing without ranges is offered to every version; one with ranges of other engines only is not. */
export function fitsEditor(ranges: readonly { engine: string }[]): boolean {
  return ranges.length === 0 || ranges.some(({ engine }) => engine === EDITOR_ENGINE)
}

/** Add-ons are installed into an open project; projects are opened by the editor's project manager. */
export const PACKAGE_KINDS = ['addon', 'project'] as const
export type PackageKind = (typeof PACKAGE_KINDS)[number]

export interface EditorCategory {
  /** The number that editors send back; it must never change. */
  id: number
  name: string
  kind: PackageKind
  /** A listing belongs here if it has one of the tags or one of the types. */
  tags: readonly string[]
  types: readonly AssetType[]
}

/** Ids and names of the official library. A listing belongs to the first category that fits. */
export const EDITOR_CATEGORIES: readonly EditorCategory[] = [
  { id: 8, name: 'Templates', kind: 'project', tags: ['template'], types: [] },
  { id: 9, name: 'Projects', kind: 'project', tags: ['project'], types: [] },
  { id: 10, name: 'Demos', kind: 'project', tags: ['demo'], types: [] },
  { id: 3, name: 'Shaders', kind: 'addon', tags: ['shader', 'shaders', 'post-processing'], types: [] },
  {
    id: 4,
    name: 'Materials',
    kind: 'addon',
    types: [],
    tags: ['material', 'materials', 'texture', 'textures', 'pbr'],
  },
  { id: 6, name: 'Scripts', kind: 'addon', tags: ['script', 'scripts', 'gdscript', 'library'], types: [] },
  {
    id: 1,
    name: '2D Tools',
    kind: 'addon',
    types: [],
    tags: ['2d', 'sprites', 'sprite', 'tileset', 'tilemap', 'pixel-art'],
  },
  { id: 2, name: '3D Tools', kind: 'addon', tags: ['3d', 'models', 'low-poly', 'voxel'], types: [] },
  { id: 5, name: 'Tools', kind: 'addon', tags: [], types: ['plugin', 'tool'] },
  { id: 7, name: 'Misc', kind: 'addon', tags: [], types: PACKAGE_TYPES },
]

/** Null for a listing of a type that has no packages. */
export function categoryOf(listing: {
  assetType: AssetType
  tags: readonly string[]
}): EditorCategory | null {
  if (!PACKAGE_TYPES.includes(listing.assetType)) return null
  const fits = ({ tags, types }: EditorCategory) =>
    types.includes(listing.assetType) || tags.some((tag) => listing.tags.includes(tag))
  return EDITOR_CATEGORIES.find(fits) ?? null
}
