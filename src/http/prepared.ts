import { cacheControlOf, type CacheRule, etagOf, matchesEtag } from './caching.ts'
import { readBearer } from './credentials.ts'

/** An answer whose bytes never change while the program runs. */
export interface PreparedAnswer {
  body: string
  etag: string
  contentType: string
}

export const CACHE_RULE: CacheRule = { maxAge: 60 }

export function prepareAnswer(body: string, contentType: string): PreparedAnswer {
  return { body, contentType, etag: etagOf(body) }
}

export function sendPrepared(
  answer: PreparedAnswer,
  request: Request,
  headers: Record<string, string | number>,
): Response {
  headers.etag = answer.etag
  headers['cache-control'] ??= cacheControlOf(CACHE_RULE, readBearer(request.headers) !== null)
  headers.vary = 'Authorization, SVC_GAMES'
  if (matchesEtag(request.headers.get('if-none-match'), answer.etag))
    return new Response(null, { status: 304 })
  headers['content-type'] = answer.contentType
  return new Response(answer.body)
}
