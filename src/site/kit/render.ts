import type { VNode } from 'preact'

import type { HeaderSet } from '../../http/output/caching.ts'
import { type PreparedText, prepareText, sendPage } from '../../http/output/pages.ts'
import { type Encoding, parseEncoding } from '../../http/server/compression.ts'
import type { Visit } from '../../http/visit.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { renderHtml } from './html.ts'
import { renderAtPlace } from './outcome.tsx'

const DOCTYPE = '<!doctype html>'
const MAX_BYTES = 32 * 1024 ** 2

/** Pages of guests, by everything they depend on, so that an entry is never stale. */
const rendered = new BoundedCache<PreparedText>({
  maxBytes: MAX_BYTES,
  bytesOf: ({ body }) => (typeof body === 'string' ? body.length * 2 : body.byteLength),
})

export function renderPage(page: VNode, encoding: Encoding | null): PreparedText {
  return prepareText(renderHtml(page, DOCTYPE), encoding)
}

export interface ShowOptions {
  /** Seconds a shared cache may reuse a guest's page. */
  maxAge?: number
  status?: number
  /** Whether the page, or its address, holds a secret: no cache may store it. */
  isSecret?: boolean
  formTargets?: readonly string[]
  /** The only origin that the page may show in a frame. */
  framed?: string
  isIsolated?: boolean
  /**
   * The objects the page is made of, if they are replaced whenever they change. While they are the same, a
   * page for guests is rendered and compressed only once.
   */
  cacheDeps?: readonly object[]
}

/** Renders the page; pages of signed-in users and answers to forms are never stored. */
export function show(visit: Visit, set: HeaderSet, page: VNode, options: ShowOptions = {}): Response {
  const { maxAge = 0, isSecret = false, cacheDeps, ...sent } = options
  const isGuest = visit.actor.kind !== 'user'
  const isShared = isGuest && !isSecret && visit.request.method === 'GET'
  const prepared =
    isGuest && cacheDeps !== undefined ? renderOnce(visit, page, cacheDeps) : renderFor(visit.request, page)
  return sendPage(prepared, visit.request, set, {
    maxAge: isShared ? maxAge : null,
    ...sent,
  })
}

function renderFor(request: Request, page: VNode): PreparedText {
  const html = renderAtPlace(request, () => renderHtml(page, DOCTYPE))
  return prepareText(html, parseEncoding(request.headers))
}

function renderOnce(visit: Visit, page: VNode, cacheDeps: readonly object[]): PreparedText {
  const { url, theme, os, request, store, hasJams } = visit
  const encoding = parseEncoding(request.headers)
  const parts = [store, ...cacheDeps].map(identityOf)
  const key = [url.pathname + url.search, theme, os, hasJams, encoding, ...parts].join(' ')
  const known = rendered.get(key)
  if (known) return known
  const prepared = renderPage(page, encoding)
  rendered.set(key, prepared)
  return prepared
}

const numbers = new WeakMap<object, number>()
let last = 0

/**
 * A unique number of this object, for cache keys. Objects must be replaced, not changed: what was computed
 * from them stays valid while their numbers are the same.
 */
function identityOf(value: object): number {
  const known = numbers.get(value)
  if (known !== undefined) return known
  last += 1
  numbers.set(value, last)
  return last
}
