import { isIPv6 } from 'node:net'

const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

/** Sends the request to the first address that accepts a connection, using the host name of the URL. */
export async function fetchPinned(
  url: URL,
  addresses: readonly string[],
  init: BunFetchRequestInit,
): Promise<Response> {
  const last = addresses.length - 1
  for (const address of addresses.slice(0, last)) {
    try {
      return await fetchAt(address, url, init)
    } catch (error) {
      if (!isNeverConnected(error)) throw error
    }
  }
  return await fetchAt(addresses[last] ?? '', url, init)
}

/** The host name is still used to verify the certificate and to select the site. */
async function fetchAt(address: string, url: URL, init: BunFetchRequestInit): Promise<Response> {
  const target = new URL(url)
  target.hostname = isIPv6(address) ? `[${address}]` : address
  const headers = new Headers(init.headers)
  headers.set('host', url.host)
  const serverName = url.hostname.replace(/\.$/, '')
  // Pooled connections are reused by address, but one address may serve many host names.
  return await fetch(target, {
    ...init,
    headers,
    keepalive: false,
    ...(url.protocol === 'https:' && { tls: { ...init.tls, serverName } }),
  })
}

function isNeverConnected(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NEVER_CONNECTED.has(String(error.code))
}
