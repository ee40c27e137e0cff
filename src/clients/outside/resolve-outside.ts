import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

import { isInsideAddress } from './inside-addresses.ts'
import { OutsideFailure } from './outside-failure.ts'

export type Resolve = (name: string) => Promise<readonly string[]>

/** Trying more addresses would only delay the failure of an unreachable server. */
const ADDRESSES_MAX = 4

export const resolveBySystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/**
 * Resolves a host to the addresses to connect to. Connect to these directly: a second lookup could return
 * others. A single private address rejects the host.
 */
export async function resolveOutside(url: URL, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  // The URL parser has already normalised unusual spellings of addresses.
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(name) ? [name] : await beforeAbort(resolve(name), signal)
  if (addresses.length === 0) throw new OutsideFailure('no_answer', 'The server has no address.')
  if (addresses.some(isInsideAddress)) {
    throw new OutsideFailure('not_allowed', 'The address is not on the internet.')
  }
  // IPv4 first, because many machines have no IPv6 route.
  return addresses.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, ADDRESSES_MAX)
}

/** A lookup cannot be cancelled, so this only stops waiting for it. */
async function beforeAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
