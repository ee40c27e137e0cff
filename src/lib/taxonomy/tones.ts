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
