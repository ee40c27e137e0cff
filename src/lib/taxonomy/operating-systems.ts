export const OPERATING_SYSTEMS = ['windows', 'macos', 'linux', 'android', 'ios', 'web'] as const
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number]
