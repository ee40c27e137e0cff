import { isIPv6 } from 'node:net'

const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

/** Asks the first of these addresses that takes the connection, as the server named in the URL. */
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

/** The name still decides about the certificate and which of its sites the server shows. */
async function fetchAt(address: string, url: URL, init: BunFetchRequestInit): Promise<Response> {
  const target = new URL(url)
  target.hostname = isIPv6(address) ? `[${address}]` : address
  const headers = new Headers(init.headers)
  headers.set('host', url.host)
  const serverName = url.hostname.replace(/\.$/, '')
  // Kept connections are found again by address: one address may serve many names.
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
