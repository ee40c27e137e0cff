import { isIP } from 'node:net'

import { isLoopbackHost } from '../../../lib/net/loopback.ts'

/** Browsers bind passkeys to a host name. Null where they work; otherwise why not, and what to do. */
export function explainPasskeysOff(baseUrl: string): string | null {
  const url = new URL(baseUrl)
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0) return null
  const why = 'Passkeys need a host name, and this store is opened by an IP address.'
  if (!isLoopbackHost(url.hostname)) return `${why} Ask its operators to give it a name.`
  url.hostname = 'localhost'
  return `${why} Start it with BASE_URL=${url.origin}, then open ${url.origin} instead.`
}
