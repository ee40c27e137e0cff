import { limitBody } from './limit-body.ts'
import { OutsideFailure, toOutsideFailure } from './outside-failure.ts'
import { fetchPinned } from './pinned-fetch.ts'
import { type Resolve, resolveBySystem, resolveOutside } from './resolve-outside.ts'

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

const REDIRECTS = new Set([301, 302, 303, 307, 308])

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
