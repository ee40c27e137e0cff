const OWN = 'http://localhost'

/** Path and query as the client sent them. */
export function rawPathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start === -1 ? '' : url.slice(start)
}

/** Path and query of a request as a URL. The host comes from a header that may hold anything, so it is left out. */
export function parseUrl(url: string): URL {
  return URL.parse(OWN + rawPathOf(url)) ?? new URL(OWN)
}

/** GET's route handles HEAD with a copy of the request; the socket belongs to the original. */
const originals = new WeakMap<Request, Request>()

export function asGet(request: Request): Request {
  // The host comes from a header that may hold anything; a copy needs a valid address.
  const copy = URL.canParse(request.url)
    ? new Request(request, { method: 'GET' })
    : new Request(parseUrl(request.url).href, { headers: request.headers })
  originals.set(copy, request)
  return copy
}

export function originalOf(request: Request): Request {
  return originals.get(request) ?? request
}

/** Matches `;q=0`, which excludes an encoding. */
const REFUSED = /;\s*q=0(?:\.0*)?\s*$/

/** Whether the client names this encoding in Accept-Encoding. */
export function acceptsEncoding(headers: Headers, name: string): boolean {
  const accepted = (headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  return accepted.some((part) => part.split(';', 1)[0]?.trim() === name && !REFUSED.test(part))
}

/** How long a connection may be idle between two requests. */
const IDLE_SECONDS = 30

/** The part of Elysia's context that receiving a body needs. */
export interface Arrival {
  request: Request
  server: { timeout(request: Request, seconds: number): void } | null
}

/**
 * A slow sender may pause for longer than an idle connection: `work` limits the time of the whole request
 * instead.
 */
export async function extendIdleTimeout<Result>(
  { request, server }: Arrival,
  work: () => Promise<Result>,
): Promise<Result> {
  server?.timeout(request, 0)
  try {
    return await work()
  } finally {
    server?.timeout(request, IDLE_SECONDS)
  }
}
