const OWN = 'http://localhost'

/** Path and query as the client sent them. */
export function rawPathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start === -1 ? '' : url.slice(start)
}

/** Path and query of a request as a URL. The host comes from a header that may hold anything, so it is left out. */
export function readUrl(url: string): URL {
  return URL.parse(OWN + rawPathOf(url)) ?? new URL(OWN)
}
