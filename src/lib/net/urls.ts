/** The maximum length of all links that people add to a page. */
export const LINK_MAX = 255

/**
 * No user name before the host, and nothing that parsers would repair: spaces, backslashes, a third slash.
 */
const HTTPS = /^https:\/\/[^\s\p{Cc}\\/?#@]+(?:[/?#][^\s\p{Cc}\\]*)?$/iu

export function isHttpsUrl(text: string, maxLength: number): boolean {
  return text.length <= maxLength && HTTPS.test(text) && URL.canParse(text)
}

const NOWHERE = 'http://site.invalid'
/** Slashes as browsers, proxies or routers may read them after our check. */
const HIDDEN_SLASH = /[\p{Cc}\\]|%2f|%5c/iu

/**
 * Every redirect target is checked here. Returns a path of this site in its normal form, or null. Parsing the
 * result again never yields another host.
 */
export function parseLocalPath(text: string): string | null {
  const [path = ''] = text.split(/[?#]/, 1)
  if (!/^\/(?!\/)/.test(text) || HIDDEN_SLASH.test(path) || !URL.canParse(text, NOWHERE)) return null
  const { origin, pathname, search, hash } = new URL(text, NOWHERE)
  // `/.//elsewhere` is a path, but its normal form would name a host.
  return origin === NOWHERE && !pathname.startsWith('//') ? pathname + search + hash : null
}
