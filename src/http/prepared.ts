import { cacheControlOf, type CacheRule, etagOf, matchesEtag } from './caching.ts'
import { readBearer } from './credentials.ts'
import { ok } from './envelope.ts'

/** An answer that is made once and sent often. */
export interface PreparedAnswer {
  body: string
  etag: string
  contentType: string
}

export const CACHE_RULE: CacheRule = { maxAge: 60 }

export function prepareAnswer(body: string, contentType: string): PreparedAnswer {
  return { body, contentType, etag: etagOf(body) }
}

/** The same bytes as a route that answers `ok(data)`. */
export function prepareData(data: unknown): PreparedAnswer {
  return prepareAnswer(JSON.stringify(ok(data)), 'application/json')
}

/** Texts take at most two bytes a character. */
export function bytesOfAnswer({ body }: PreparedAnswer): number {
  return body.length * 2
}

export function sendPrepared(
  answer: PreparedAnswer,
  request: Request,
  headers: Record<string, string | number>,
  rule: CacheRule = CACHE_RULE,
): Response {
  headers.etag = answer.etag
  headers['cache-control'] ??= cacheControlOf(rule, readBearer(request.headers) !== null)
  headers.vary = 'Authorization, SVC_GAMES'
  if (matchesEtag(request.headers.get('if-none-match'), answer.etag))
    return new Response(null, { status: 304 })
  headers['content-type'] = answer.contentType
  return new Response(answer.body)
}
