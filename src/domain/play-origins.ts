const STAND_IN = 'game'
/** With the `*` in the first of at least two labels. */
const PATTERN = /^https?:\/\/[a-z0-9-]*\*[a-z0-9-]*(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/i

/** What a game may use of the browser, besides threads. */
export const PLAY_FEATURES = [
  'fullscreen',
  'gamepad',
  'autoplay',
  'accelerometer',
  'gyroscope',
  'xr-spatial-tracking',
] as const

export function isPlayPattern(text: string): boolean {
  return PATTERN.test(text) && URL.canParse(text.replace('*', STAND_IN))
}

/** The origin at which a game runs. */
export function playOrigin(pattern: string, gameUid: string): string {
  return new URL(pattern.replace('*', gameUid)).origin
}

/** The page of the store that holds the game's frame. */
export function playUrl(baseUrl: string, vanityName: string): string {
  return `${baseUrl}/games/${vanityName}/play`
}

export function matchesPlayPattern(pattern: string, url: string): boolean {
  return createLabelReader(pattern)(new URL(url).host) !== null
}

/** Under these anyone can register a name (`co.uk`). The whole list changes weekly; this one only serves a warning. */
const SECOND_LEVELS = new Set(['ac', 'co', 'com', 'edu', 'gov', 'ne', 'net', 'or', 'org'])

/** What to tell operators whose games run under the domain of the store, where they can set its cookies; else null. */
export function describeSharedDomain({
  baseUrl,
  playUrl: pattern,
}: {
  baseUrl: string
  playUrl: string | null
}): string | null {
  if (pattern === null) return null
  const [store = [], games = []] = [baseUrl, pattern.replace('*', STAND_IN)].map((url) =>
    new URL(url).hostname.split('.').reverse(),
  )
  const end = store.findIndex((label, index) => label !== games[index])
  const shared = end === -1 ? store : store.slice(0, end)
  const [top = '', second = ''] = shared
  const registered = top.length === 2 && SECOND_LEVELS.has(second) ? 3 : 2
  if (shared.length < registered) return null
  const domain = shared.slice(0, registered).reverse().join('.')
  return `PLAY_URL and BASE_URL share the domain ${domain}: games there can set cookies that browsers send to the store. Give games a domain of their own.`
}

/**
 * Returns the part of a Host header that stands for the `*`, whether or not a game has it; null for other
 * hosts. Ports are ignored, because a proxy may listen on another one.
 */
export function createLabelReader(pattern: string): (host: string | null) => string | null {
  const [before = '', after = ''] = new URL(pattern.replace('*', 'x-star-x')).hostname.split('x-star-x')
  const read = (host: string): string | null => {
    const [name = ''] = host
      .toLowerCase()
      .replace(/\.(?=:|$)/, '')
      .split(':', 1)
    if (!name.startsWith(before) || !name.endsWith(after)) return null
    const label = name.slice(before.length, name.length - after.length)
    return name.length > before.length + after.length && !label.includes('.') ? label : null
  }
  // Caches the last host: every request asks, and most name the same one as the request before.
  let last = { host: '', label: read('') }
  return (host) => {
    if (last.host !== (host ?? '')) last = { host: host ?? '', label: read(host ?? '') }
    return last.label
  }
}
