export const GENRES = [
  'action',
  'adventure',
  'arcade',
  'card',
  'casual',
  'fighting',
  'horror',
  'idle',
  'management',
  'platformer',
  'puzzle',
  'racing',
  'rhythm',
  'roguelike',
  'rpg',
  'sandbox',
  'shooter',
  'simulation',
  'sports',
  'stealth',
  'strategy',
  'survival',
  'tower-defense',
  'visual-novel',
  'educational',
  'tool',
  'utility',
  'other',
] as const
export type Genre = (typeof GENRES)[number]
export const GENRES_MAX = 3

export const TONES = [
  'cozy',
  'dark',
  'funny',
  'relaxing',
  'tense',
  'wholesome',
  'weird',
  'serious',
  'chaotic',
] as const
export type Tone = (typeof TONES)[number]
export const TONES_MAX = 3

export const INPUTS = ['keyboard_mouse', 'gamepad', 'touch', 'vr', 'motion'] as const
export type Input = (typeof INPUTS)[number]

export const SESSION_BUCKETS = ['15m', '1h', '3h', 'endless'] as const
export type SessionBucket = (typeof SESSION_BUCKETS)[number]

export const NETS = ['offline', 'local', 'online', 'local_online'] as const
export type Net = (typeof NETS)[number]

export const PLAYERS_LEAST = 1
export const PLAYERS_MOST = 64

export const CONTENT_WARNINGS = [
  'violence',
  'gore',
  'sexual',
  'nudity',
  'language',
  'drugs',
  'gambling',
  'horror',
  'flashing_lights',
] as const
export type ContentWarning = (typeof CONTENT_WARNINGS)[number]

export const AUTHORSHIPS = ['human', 'human_agent', 'agent_heavy'] as const
export type Authorship = (typeof AUTHORSHIPS)[number]

export const AUTHORSHIP_LABELS = {
  human: 'made by people',
  human_agent: 'people with AI agents',
  agent_heavy: 'mostly AI agents',
} as const satisfies Record<Authorship, string>

export const AUTHORSHIP_CREDIT_MAX = 120

/** Parts made with generative AI. */
export const AI_USES = ['art', 'audio', 'code', 'text', 'voice', 'runtime'] as const
export type AiUse = (typeof AI_USES)[number]
