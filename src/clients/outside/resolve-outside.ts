import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

import { isInsideAddress } from './inside-addresses.ts'
import { OutsideFailure } from './outside-failure.ts'

export type Resolve = (name: string) => Promise<readonly string[]>

/** More would only make a dead server slower to give up. */
const ADDRESSES_MAX = 4

export const resolveBySystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/**
 * The addresses of a host, to connect to as they are: asking for the name again could answer others. One address
 * inside is enough to refuse them all.
 */
export async function resolveOutside(url: URL, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  // The URL parser has already turned odd spellings of addresses into the usual one.
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(name) ? [name] : await beforeAbort(resolve(name), signal)
  if (addresses.length === 0) throw new OutsideFailure('no_answer', 'The server has no address.')
  if (addresses.some(isInsideAddress)) {
    throw new OutsideFailure('not_allowed', 'The address does not lie on the internet.')
  }
  // Many machines have no way out by IPv6.
  return addresses.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, ADDRESSES_MAX)
}

/** A lookup cannot be called off, only no longer be waited for. */
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
