import type { ContentWarning, Genre, Input } from '../../../domain/listings/fields.ts'

/** Maps the external store's terms and ids to ours. What is not in these tables has no counterpart. */

export const GENRES_BY_ID: Readonly<Record<number, Genre>> = {
  1: 'action',
  2: 'strategy',
  3: 'rpg',
  4: 'casual',
  9: 'racing',
  18: 'sports',
  25: 'adventure',
  28: 'simulation',
  54: 'educational',
  57: 'utility',
}

/** Tags of players are more precise than the store's few genres; they fill the remaining slots. */
export const GENRES_BY_TAG: Readonly<Record<string, Genre>> = {
  action: 'action',
  adventure: 'adventure',
  arcade: 'arcade',
  'card-game': 'card',
  'card-battler': 'card',
  deckbuilding: 'card',
  casual: 'casual',
  fighting: 'fighting',
  '2d-fighter': 'fighting',
  '3d-fighter': 'fighting',
  'beat-em-up': 'fighting',
  horror: 'horror',
  'survival-horror': 'horror',
  'psychological-horror': 'horror',
  idler: 'idle',
  clicker: 'idle',
  management: 'management',
  'colony-sim': 'management',
  'city-builder': 'management',
  platformer: 'platformer',
  '2d-platformer': 'platformer',
  '3d-platformer': 'platformer',
  'precision-platformer': 'platformer',
  'puzzle-platformer': 'platformer',
  metroidvania: 'platformer',
  puzzle: 'puzzle',
  'hidden-object': 'puzzle',
  racing: 'racing',
  rhythm: 'rhythm',
  'rogue-like': 'roguelike',
  'rogue-lite': 'roguelike',
  roguelike: 'roguelike',
  roguelite: 'roguelike',
  'action-roguelike': 'roguelike',
  'traditional-roguelike': 'roguelike',
  rpg: 'rpg',
  jrpg: 'rpg',
  crpg: 'rpg',
  'action-rpg': 'rpg',
  sandbox: 'sandbox',
  shooter: 'shooter',
  fps: 'shooter',
  'third-person-shooter': 'shooter',
  'top-down-shooter': 'shooter',
  'shoot-em-up': 'shooter',
  'bullet-hell': 'shooter',
  simulation: 'simulation',
  'farming-sim': 'simulation',
  'life-sim': 'simulation',
  sports: 'sports',
  stealth: 'stealth',
  strategy: 'strategy',
  rts: 'strategy',
  'turn-based-strategy': 'strategy',
  '4x': 'strategy',
  survival: 'survival',
  'tower-defense': 'tower-defense',
  'visual-novel': 'visual-novel',
  education: 'educational',
  utilities: 'utility',
}

/** Genres that are content warnings rather than genres. */
export const WARNINGS_BY_GENRE: Readonly<Record<number, readonly ContentWarning[]>> = {
  71: ['sexual'],
  72: ['nudity'],
  73: ['violence'],
  74: ['gore'],
}

/** Content descriptors. 5 means mature content in general, so it maps to no specific warning. */
export const WARNINGS_BY_DESCRIPTOR: Readonly<Record<number, readonly ContentWarning[]>> = {
  1: ['nudity', 'sexual'],
  2: ['violence', 'gore'],
  3: ['sexual', 'nudity'],
  4: ['sexual', 'nudity'],
}
export const ADULT_DESCRIPTORS: readonly number[] = [3, 4]
export const BROAD_DESCRIPTOR = 5

export const INPUTS_BY_CATEGORY: Readonly<Record<number, Input>> = {
  18: 'gamepad',
  28: 'gamepad',
  31: 'vr',
  53: 'vr',
  54: 'vr',
}

/** How a game is played, by its categories. */
export const CATEGORIES = {
  alone: [2],
  /** Shared or split screen. */
  local: [24, 37, 39],
  /** Massively multiplayer, online, or in a local network. */
  online: [20, 27, 36, 38, 47, 48],
  /** Multi-player, co-op and PvP do not say where: online, unless another category says local. */
  together: [1, 9, 49],
} as const satisfies Record<string, readonly number[]>
