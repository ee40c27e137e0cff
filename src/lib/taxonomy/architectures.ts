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
