/** GET's route handles HEAD with a copy of the request; the socket belongs to the original. */
const originals = new WeakMap<Request, Request>()

export function asGet(request: Request): Request {
  const copy = new Request(request, { method: 'GET' })
  originals.set(copy, request)
  return copy
}

export function originalOf(request: Request): Request {
  return originals.get(request) ?? request
}
