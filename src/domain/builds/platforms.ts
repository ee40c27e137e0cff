export const OPERATING_SYSTEMS = ['windows', 'macos', 'linux', 'android', 'ios', 'web'] as const
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number]

export const ARCHITECTURES = [
  'x86_64',
  'x86',
  'arm64',
  'arm32',
  'arm',
  'universal',
  'wasm32',
  'wasm',
] as const
export type Architecture = (typeof ARCHITECTURES)[number]
