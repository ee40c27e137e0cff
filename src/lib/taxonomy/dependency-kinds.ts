/** uses: an asset pack or plugin; supports: a game or tool, for mods and plugins; made_with: a tool. */
export const DEPENDENCY_KINDS = ['uses', 'supports', 'made_with'] as const
export type DependencyKind = (typeof DEPENDENCY_KINDS)[number]
export const DEPENDENCIES_MAX = 50
