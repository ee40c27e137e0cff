const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** The same engine without windows and profiles: it needs a fifth less CPU time. */
const SHELL = '/usr/bin/chromium-headless-shell'

export const BROWSER_PACKAGES = ['chromium', 'chromium-headless-shell'] as const

export function findBrowser(): string | null {
  return PATHS.map((path) => Bun.which(path)).find((path) => path !== null) ?? null
}

/** For uses that need no profile. */
export function findHeadlessBrowser(): string | null {
  return Bun.which(SHELL) ?? findBrowser()
}
