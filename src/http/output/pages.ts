import type { Asset } from '../../lib/asset.ts'
import { etagOf, type PreparedResponse } from '../../lib/net/prepared-response.ts'
import { compress, type Content, type Encoding, parseEncoding } from '../server/compression.ts'
import {
  ALWAYS_ASK,
  cacheControlOf,
  type HeaderSet,
  isNotModified,
  NOT_STORED,
  respond,
  sendPrepared,
} from './caching.ts'
import { ISOLATION } from './headers.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

/** Pages may load only what we serve ourselves, nothing inline. */
const LOADING = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
].join('; ')

/** `formTargets` are the addresses forms may be sent or redirected to: browsers check redirects too. */
function pagePolicy(formTargets: readonly string[], framed?: string): string {
  const frames = framed === undefined ? '' : `; frame-src ${framed}`
  return `${LOADING}${frames}; form-action ${formTargets.join(' ')}; frame-ancestors 'none'`
}

/** Another website may show it, but it loads nothing but its own styles and pictures. */
const EMBED_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"

const USUAL_POLICY = pagePolicy(["'self'"])

interface HandlerContext {
  request: Request
  set: HeaderSet
}

/** Serves a response that stays the same while the program runs. */
export function servePrepared(read: () => PreparedResponse, headers: Record<string, string> = {}) {
  return ({ request, set }: HandlerContext): Response => {
    Object.assign(set.headers, headers)
    return sendPrepared(read(), request, set)
  }
}

/** The file never changes under its name, so each compressed form is created once. */
export function serveAsset(asset: Asset) {
  const type = asset.path.endsWith('.css') ? TYPES.css : TYPES.js
  const bodies = new Map<Encoding | null, PreparedText['body']>()
  return ({ request, set }: HandlerContext): Response => {
    const encoding = parseEncoding(request.headers)
    const body = bodies.get(encoding) ?? compress(asset.text, encoding)
    bodies.set(encoding, body)
    set.headers['content-type'] = type
    set.headers['cache-control'] = IMMUTABLE
    set.headers.vary = 'Accept-Encoding'
    if (encoding !== null) set.headers['content-encoding'] = encoding
    return respond(body, 200, set)
  }
}

interface PageOptions {
  /** Seconds for which a guest's page may be reused; null for a page that nothing may store. */
  maxAge: number | null
  formTargets?: readonly string[]
  /** The only origin that the page may show in a frame. */
  framed?: string
  isIsolated?: boolean
  /** Whether other websites may show it in a frame. */
  isEmbeddable?: boolean
  status?: number
}

function cacheControl(maxAge: PageOptions['maxAge']): string {
  return maxAge === null ? NOT_STORED : cacheControlOf({ maxAge }, false)
}

/** A text with its validator, compressed once for all who accept the encoding. */
export interface PreparedText {
  body: Content
  encoding: Encoding | null
  etag: string
}

export function prepareText(content: Content, encoding: Encoding | null): PreparedText {
  return { body: compress(content, encoding), encoding, etag: etagOf(content) }
}

function policyOf(formTargets: readonly string[], framed: string | undefined): string {
  if (formTargets.length === 0 && framed === undefined) return USUAL_POLICY
  return pagePolicy(["'self'", ...formTargets], framed)
}

/** A page as HTML: compressed, with a validator, under the page policy. */
export function sendPage(
  page: PreparedText,
  request: Request,
  set: HeaderSet,
  options: PageOptions,
): Response {
  const { headers } = set
  const { maxAge, status = 200, formTargets = [], framed, isIsolated = false, isEmbeddable = false } = options
  headers['content-security-policy'] = isEmbeddable ? EMBED_POLICY : policyOf(formTargets, framed)
  if (isIsolated) Object.assign(headers, ISOLATION)
  headers['content-type'] = 'text/html; charset=utf-8'
  headers['cache-control'] = cacheControl(maxAge)
  headers.vary = isEmbeddable ? 'Accept-Encoding' : 'Cookie, Accept-Encoding, User-Agent'
  return sendPreparedText(page, request, set, status)
}

/** Sends a text for programs that every cache may reuse for `maxAge` seconds. */
export function sendText(
  text: string,
  type: string,
  request: Request,
  set: HeaderSet,
  maxAge: number,
): Response {
  const { headers } = set
  headers['content-type'] = `${type}; charset=utf-8`
  headers['cache-control'] = `public, max-age=${maxAge}`
  headers.vary = 'Accept-Encoding'
  return sendPreparedText(prepareText(text, parseEncoding(request.headers)), request, set, 200)
}

/** Sends a feed, which caches ask about before every use, so that a hidden page's feed ends at once. */
export function sendFeed(
  text: string,
  updatedAt: Date,
  { isPrivate }: { isPrivate: boolean },
  request: Request,
  set: HeaderSet,
): Response {
  const { headers } = set
  headers['content-type'] = 'application/atom+xml; charset=utf-8'
  headers['cache-control'] = cacheControlOf(ALWAYS_ASK, isPrivate)
  headers['last-modified'] = updatedAt.toUTCString()
  headers.vary = 'Accept-Encoding'
  if (isPrivate) headers['x-robots-tag'] = 'noindex'
  const isKnown = isUnmodifiedSince(request, updatedAt)
  const prepared = prepareText(text, parseEncoding(request.headers))
  if (!isKnown) return sendPreparedText(prepared, request, set, 200)
  headers.etag = `W/${prepared.etag}`
  return respond(null, 304, set)
}

/** Only asked of clients without an ETag, which says more. */
function isUnmodifiedSince({ headers }: Request, updatedAt: Date): boolean {
  const since = headers.get('if-none-match') === null ? headers.get('if-modified-since') : null
  return since !== null && Math.floor(updatedAt.getTime() / 1000) * 1000 <= Date.parse(since)
}

function sendPreparedText(
  { body, encoding, etag }: PreparedText,
  request: Request,
  set: HeaderSet,
  status: number,
): Response {
  if (status === 200) {
    set.headers.etag = `W/${etag}`
    if (isNotModified(request, etag)) return respond(null, 304, set)
  }
  if (encoding !== null) set.headers['content-encoding'] = encoding
  return respond(body, status, set)
}
