import type { PreparedResponse } from '../lib/net/prepared.ts'
import { readBearer } from './access/credentials.ts'
import { cacheControlOf, type CacheRule } from './output/caching.ts'
import { isNotModified } from './output/etags.ts'

/** The headers of the response that Elysia will send. */
export interface HeaderSet {
  headers: Record<string, string | number>
}

export const CACHE_RULE: CacheRule = { maxAge: 60 }

/** 304 without a body when the client already has these bytes. */
export function sendPrepared(
  { body, etag, contentType }: PreparedResponse,
  request: Request,
  set: HeaderSet,
  rule: CacheRule = CACHE_RULE,
): Response {
  const { headers } = set
  headers.etag = etag
  headers['cache-control'] = cacheControlOf(rule, readBearer(request.headers) !== null)
  headers.vary = 'Authorization, SVC_GAMES'
  if (isNotModified(request, etag)) return respond(null, 304, set)
  headers['content-type'] = contentType
  return respond(body, 200, set)
}

/** Moves the headers into the response: Elysia would add them to a copy, one by one. Only it can send several cookies. */
export function respond(
  body: Uint8Array<ArrayBuffer> | string | null,
  status: number,
  set: HeaderSet,
): Response {
  const headers = set.headers as Record<string, string>
  if (Array.isArray(headers['set-cookie'])) return new Response(body, { status })
  set.headers = {}
  return new Response(body, { status, headers })
}
