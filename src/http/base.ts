import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import { AppError, Moved, nulRefused, toEnvelope } from '../errors.ts'
import { parseUrl, rawPathOf } from '../lib/net/requests.ts'
import { FORM_TYPE, mediaTypeOf } from './input/body.ts'
import { ALWAYS_ASK, cacheControlOf, type HeaderSet, NOT_STORED } from './output/caching.ts'
import { createAnswerHeaders, isSharedPath } from './output/headers.ts'
import { toAppError } from './output/to-app-error.ts'
import { UNMATCHED } from './server/methods.ts'
import { createHostCheck, OtherHost } from './server/own-hosts.ts'
import { createRequestIds, tellFailure } from './server/request-facts.ts'

/** Failures of services that the program depends on, not of the program itself. */
const UNAVAILABLE = new Set([503, 507])

/** The pages that people see instead of the envelope. */
export interface FailurePages {
  failure(failure: AppError, request: Request, set: HeaderSet): Response
  /** At a host that is not the store's. */
  otherHost(other: OtherHost, request: Request, set: HeaderSet): Response
}

/**
 * Runs for every request before any feature: sets an id and the common headers, limits bodies, formats
 * errors.
 */
export function createBase(deps: Deps, pages: FailurePages) {
  const findOtherHost = createHostCheck(deps.config)
  const headers = createAnswerHeaders(deps.config.baseUrl)
  const requestIdOf = createRequestIds(deps.config.trustProxy)
  return new Elysia({ name: 'base', normalize: false, precompile: true, aot: true })
    .onRequest(({ request, set }) => {
      const path = pathOf(request.url)
      const common = isSharedPath(path) ? headers.shared : headers.own
      set.headers = { ...common, 'x-request-id': requestIdOf(request) }
      if (request.url.includes('%')) refuseBadEncoding(request.url)
      const other = opensPage(request, path) ? findOtherHost(request.headers) : null
      if (other) throw other
    })
    .onError({ as: 'global' }, ({ error, code, set, request, route }) => {
      if (error instanceof Moved) {
        set.status = 301
        set.headers.location = relocate(request.url, error)
        set.headers['cache-control'] = cacheControlOf(ALWAYS_ASK, false)
        return new Response(null, { status: 301 })
      }
      if (error instanceof OtherHost) {
        set.headers['cache-control'] = NOT_STORED
        if (!error.isSameMachine) return pages.otherHost(error, request, set)
        set.headers.location = deps.config.baseUrl + rawPathOf(request.url)
        return new Response(null, { status: 307 })
      }
      const failure = toAppError(error, code)
      tellFailure(request, failure)
      if (failure.status >= 500) {
        const fields = {
          request_id: set.headers['x-request-id'],
          method: request.method,
          // The pattern, because the address itself can contain tokens.
          route: route ?? UNMATCHED,
          error: failure.cause ?? failure,
        }
        deps.log[UNAVAILABLE.has(failure.status) ? 'warn' : 'error']('A request failed', fields)
      }
      set.status = failure.status
      Object.assign(set.headers, failure.headers)
      set.headers['cache-control'] = NOT_STORED
      return wantsPage(request, failure) ? pages.failure(failure, request, set) : toEnvelope(failure)
    })
}

/** The router would pass null for what it cannot decode. */
function refuseBadEncoding(url: string): void {
  if (url.includes('%00')) throw nulRefused()
  try {
    decodeURIComponent(pathOf(url))
  } catch {
    throw new AppError('not_found')
  }
}

const PROGRAMS = /^\/(?:(?:api|asset-library|media|objects|screenshots|assets)\/|mcp$)/
/** Opened by people and by load balancers, which call the machine by its address. */
const CHECKS = new Set(['/health', '/ready', '/metrics'])
const FORM_TYPES = new Set([FORM_TYPE, 'multipart/form-data'])

/** Browsers ask for HTML when they open an address; programs do not. */
function opensPage(request: Request, path: string): boolean {
  if (PROGRAMS.test(path) || CHECKS.has(path) || request.method !== 'GET') return false
  return (request.headers.get('accept') ?? '').includes('text/html')
}

/** Also true for forms of pages. At a missing address, a form that does not accept HTML gets the envelope. */
function wantsPage({ method, url, headers }: Request, { status }: AppError): boolean {
  if (PROGRAMS.test(pathOf(url))) return false
  const accept = headers.get('accept') ?? ''
  if (accept.includes('text/html')) return true
  const isForm = method === 'POST' && FORM_TYPES.has(mediaTypeOf(headers.get('content-type')))
  return isForm && status !== 404 && !accept.includes('application/json')
}

export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** What stands before the name of a listing in a path. */
const NAMED = new Set(['games', 'embed'])

/** Replaces the old name with the new one. */
function relocate(url: string, { from, to }: Moved): string {
  const { pathname, search } = parseUrl(url)
  const segments = pathname.split('/')
  const index = segments.findIndex(
    (segment, at) => NAMED.has(segments[at - 1] ?? '') && decode(segment) === from,
  )
  return segments.with(index, to).join('/') + search
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
