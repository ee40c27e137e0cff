export const FIREFOX_PACKAGES = ['firefox-esr'] as const

export function findFirefox(): string | null {
  return Bun.which('/usr/bin/firefox-esr')
}
