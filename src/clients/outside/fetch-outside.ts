import { lookup } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'

import { isInsideAddress } from './inside-addresses.ts'

/** Trying more addresses would only delay the failure of an unreachable server. */
const ADDRESSES_MAX = 4
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

type OutsideReason =
  /** The address is not http(s), or is inside our own network. */
  'not_allowed' | 'no_answer' | 'too_slow' | 'too_large'

/** A request to an external server failed. The message is safe to show. */
export class OutsideFailure extends Error {
  constructor(
    readonly reason: OutsideReason,
    message: string,
  ) {
    super(message)
  }
}

function toOutsideFailure(error: unknown): OutsideFailure {
  if (error instanceof OutsideFailure) return error
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  if (isLate) return new OutsideFailure('too_slow', 'The server did not answer in time.')
  return new OutsideFailure('no_answer', 'The server cannot be reached.')
}

/** Returns the same response with a body that fails after `maxBytes`. */
function limitBody(answer: Response, maxBytes: number): Response {
  const { status, headers, body } = answer
  if (body === null) return answer
  const tooLarge = () => new OutsideFailure('too_large', `The answer has more than ${maxBytes} bytes.`)
  const reader = body.getReader()
  let left = maxBytes

  const limited = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        left -= value.byteLength
        if (left < 0) throw tooLarge()
        controller.enqueue(value)
      } catch (error) {
        controller.error(toOutsideFailure(error))
        await reader.cancel().catch(() => undefined)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(limited, { status, headers })
}

type Resolve = (name: string) => Promise<readonly string[]>

const resolveBySystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/**
 * Resolves a host to the addresses to connect to. Connect to these directly: a second lookup could return
 * others. A single private address rejects the host.
 */
async function resolveOutside(url: URL, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
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

export interface OutsideRequest {
  /** For the whole request, including the body. */
  timeoutMs: number
  /** Size limit of the response body. */
  maxBytes: number
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array<ArrayBuffer>
  /** How many redirects to follow; each target is checked again. By default none is followed. */
  redirects?: number
  /** Addresses that may be in a private network, because the operator configured them. */
  exempt?: (url: URL) => boolean
  resolve?: Resolve
}

/**
 * Sends a request to a server that a user named, but never into our own network. Throws `OutsideFailure`, as
 * does reading a body that is too long or too slow.
 */
export async function fetchOutside(address: string | URL, request: OutsideRequest): Promise<Response> {
  const signal = AbortSignal.timeout(request.timeoutMs)
  const answer = await follow(parse(address), request, signal).catch((error: unknown) => {
    throw toOutsideFailure(error)
  })
  return limitBody(answer, request.maxBytes)
}

async function follow(first: URL, request: OutsideRequest, signal: AbortSignal): Promise<Response> {
  const { redirects = 0 } = request
  let url = first
  for (let followed = 0; ; followed += 1) {
    const answer = await ask(url, request, signal, url.origin === first.origin)
    const next = answer.headers.get('location')
    if (redirects === 0 || next === null || !REDIRECTS.has(answer.status)) return answer
    await answer.body?.cancel()
    if (followed === redirects) throw new OutsideFailure('no_answer', 'The server redirects too often.')
    url = parse(next, url)
  }
}

/** Sends the headers only to the first origin, because they may contain secrets. */
async function ask(
  url: URL,
  { method = 'GET', headers = {}, body, exempt, resolve = resolveBySystem }: OutsideRequest,
  signal: AbortSignal,
  isFirst: boolean,
): Promise<Response> {
  const init: BunFetchRequestInit = {
    method,
    signal,
    redirect: 'manual',
    headers: isFirst ? headers : {},
    ...(body !== undefined && { body }),
  }
  if (exempt?.(url)) return await fetch(url, init)
  return await fetchPinned(url, await resolveOutside(url, resolve, signal), init)
}

function parse(address: string | URL, base?: URL): URL {
  const url = URL.parse(String(address), base?.href)
  const isAllowed = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
  if (isAllowed) return url
  throw new OutsideFailure('not_allowed', 'The address is not an http or https address.')
}
