import { AppError } from '../../errors.ts'
import type { PreparedResponse } from '../../lib/net/prepared-response.ts'
import { hasBearer } from '../access/credentials.ts'

export interface CacheRule {
  /** Seconds a shared cache may reuse the response. */
  maxAge: number
}

/** The default for all responses: whatever depends on a session or answers a form is never stored. */
export const NOT_STORED = 'private, no-store'

/**
 * For data shown on pages: caches must revalidate before every use, so that hidden content is not served
 * again.
 */
export const ALWAYS_ASK: CacheRule = { maxAge: 0 }

/** Responses to a bearer may differ between people and must not be in shared caches. */
export function cacheControlOf(rule: CacheRule, isPersonal: boolean): string {
  return isPersonal ? 'private, no-cache' : `public, max-age=${rule.maxAge}, must-revalidate`
}

/** Declares the cache rule of a route that sends its validators itself, without the `cache` option. */
export function describeCache(rule: CacheRule): object {
  return { 'x-cache': rule }
}

/** Whether the client already has this version, so that 304 without a body suffices. */
export function isNotModified({ headers }: Request, etag: string): boolean {
  const known = headers.get('if-none-match')
  return known !== null && lists(known, etag, (tag) => tag.replace(/^W\//, ''))
}

/** Rejects a write that was based on another version of the resource. */
function requireMatch({ headers }: Request, etag: string): void {
  const base = headers.get('if-match')
  if (base !== null && !lists(base, etag)) throw new AppError('stale')
}

export function etagOfRevision(revision: number): string {
  return `"${revision}"`
}

/** For services: refuses a write that was based on another revision. */
export function revisionCheck(request: Request): (revision: number) => void {
  return (revision) => requireMatch(request, etagOfRevision(revision))
}

function lists(header: string, etag: string, normalise = (tag: string) => tag): boolean {
  if (header === etag || header.trim() === '*') return true
  return header.split(',').some((tag) => normalise(tag.trim()) === etag)
}

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
  headers['cache-control'] = cacheControlOf(rule, hasBearer(request.headers))
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
