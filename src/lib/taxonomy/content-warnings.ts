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
