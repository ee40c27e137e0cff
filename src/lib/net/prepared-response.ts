/** A response that is created once and can be sent many times. */
export interface PreparedResponse {
  body: string
  etag: string
  contentType: string
}

/** A validator derived from the bytes sent: equal bytes have equal tags. */
export function etagOf(body: string | Uint8Array): string {
  return `"${Bun.hash.xxHash3(body).toString(36)}"`
}

export function prepareResponse(body: string, contentType: string): PreparedResponse {
  return { body, contentType, etag: etagOf(body) }
}

export function prepareJson(value: unknown): PreparedResponse {
  return prepareResponse(JSON.stringify(value), 'application/json')
}

/** An upper bound: texts take at most two bytes a character. */
export function bytesOfResponse({ body }: PreparedResponse): number {
  return body.length * 2
}
