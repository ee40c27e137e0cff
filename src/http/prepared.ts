import { cacheControlOf, type CacheRule, etagOf, matchesEtag } from './caching.ts'
import { readBearer } from './credentials.ts'

/** A response that is created once and can be sent many times. */
export interface PreparedResponse {
  body: string
  etag: string
  contentType: string
}

export const CACHE_RULE: CacheRule = { maxAge: 60 }

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

/** The only function that sends validators: 304 without a body when the client already has these bytes. */
export function sendPrepared(
  prepared: PreparedResponse,
  request: Request,
  headers: Record<string, string | number>,
  rule: CacheRule = CACHE_RULE,
): Response {
  headers.etag = prepared.etag
  headers['cache-control'] ??= cacheControlOf(rule, readBearer(request.headers) !== null)
  headers.vary = 'Authorization, SVC_GAMES'
  if (matchesEtag(request.headers.get('if-none-match'), prepared.etag))
    return new Response(null, { status: 304 })
  headers['content-type'] = prepared.contentType
  return new Response(prepared.body)
}
