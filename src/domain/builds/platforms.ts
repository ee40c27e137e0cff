export const OPERATING_SYSTEMS = ['windows', 'macos', 'linux', 'android', 'ios', 'web'] as const
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number]
export const SYSTEM_NAMES = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  android: 'Android',
  ios: 'iOS',
  web: 'Web',
} as const satisfies Record<OperatingSystem, string>

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

/** The systems that the uploader `shelf` is built for, named as by `bun build --compile`. */
export const CLI_TARGETS = [
  'linux-x64',
  'linux-arm64',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
  'windows-arm64',
] as const
export type CliTarget = (typeof CLI_TARGETS)[number]

/** The name of its file, in the output of the build and in the folder that a store serves. */
export function cliFileName(target: CliTarget): string {
  return `shelf-${target}${target.startsWith('windows') ? '.exe' : ''}`
}
