import { readUrl } from './request-url.ts'

/** GET's route handles HEAD with a copy of the request; the socket belongs to the original. */
const originals = new WeakMap<Request, Request>()

export function asGet(request: Request): Request {
  // The host comes from a header that may hold anything; a copy needs a valid address.
  const copy = URL.canParse(request.url)
    ? new Request(request, { method: 'GET' })
    : new Request(readUrl(request.url).href, { headers: request.headers })
  originals.set(copy, request)
  return copy
}

export function originalOf(request: Request): Request {
  return originals.get(request) ?? request
}
