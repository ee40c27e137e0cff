const OWN = 'http://localhost'

/** Path and query of a request as a URL. The host comes from a header that may hold anything, so it is left out. */
export function readUrl(url: string): URL {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return URL.parse(start === -1 ? OWN : OWN + url.slice(start)) ?? new URL(OWN)
}
