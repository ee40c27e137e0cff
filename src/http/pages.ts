import type { Asset } from '../lib/asset.ts'
import { type PreparedResponse, prepareResponse, sendPrepared } from './prepared.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

/** What a page of ours may load: only what we serve ourselves, nothing inline. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface HandlerContext {
  request: Request
  set: { headers: Record<string, string | number> }
}

/** A handler for a response that stays the same while the program runs. */
export function servePrepared(read: () => PreparedResponse, headers: Record<string, string> = {}) {
  return ({ request, set }: HandlerContext): Response => {
    Object.assign(set.headers, headers)
    return sendPrepared(read(), request, set.headers)
  }
}

export function serveAsset(asset: Asset) {
  const type = asset.path.endsWith('.css') ? TYPES.css : TYPES.js
  const prepared = prepareResponse(asset.text, type)
  return servePrepared(() => prepared, { 'cache-control': IMMUTABLE })
}

/** Pages made for one person, or for one request. */
export function sendPage(html: string, headers: Record<string, string | number>): Response {
  headers['content-security-policy'] = PAGE_POLICY
  headers['cache-control'] = 'no-store'
  headers['content-type'] = 'text/html; charset=utf-8'
  return new Response(html)
}
