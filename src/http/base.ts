import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import { AppError, Moved, nulRefused, toEnvelope } from '../errors.ts'
import { readUrl } from '../lib/net/request-url.ts'
import { ALWAYS_ASK, cacheControlOf, NOT_STORED } from './output/caching.ts'
import { createAnswerHeaders, isSharedPath } from './output/headers.ts'
import { toAppError } from './output/to-app-error.ts'
import type { HeaderSet } from './prepared.ts'
import { UNMATCHED } from './route-table.ts'
import { tellFailure } from './server/request-facts.ts'
import { createRequestIds } from './server/request-id.ts'

/** Failures of services that the program depends on, not of the program itself. */
const UNAVAILABLE = new Set([503, 507])

/** Renders the error page that people see instead of the envelope. */
type ShowFailure = (failure: AppError, request: Request, set: HeaderSet) => Response

/**
 * Runs for every request before any feature: sets an id and the common headers, limits bodies, formats
 * errors.
 */
export function createBase(deps: Deps, showFailure: ShowFailure) {
  const headers = createAnswerHeaders(deps.config.baseUrl)
  const requestIdOf = createRequestIds(deps.config.trustProxy)
  return new Elysia({ name: 'base', normalize: false, precompile: true, aot: true })
    .onRequest(({ request, set }) => {
      const common = isSharedPath(pathOf(request.url)) ? headers.shared : headers.own
      set.headers = { ...common, 'x-request-id': requestIdOf(request) }
      if (request.url.includes('%')) refuseBadEncoding(request.url)
    })
    .onError({ as: 'global' }, ({ error, code, set, request, route }) => {
      if (error instanceof Moved) {
        set.status = 301
        set.headers.location = relocate(request.url, error)
        set.headers['cache-control'] = cacheControlOf(ALWAYS_ASK, false)
        return new Response(null, { status: 301 })
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
      return wantsPage(request) ? showFailure(failure, request, set) : toEnvelope(failure)
    })
}

/** The router would pass on what it cannot decode as null. */
function refuseBadEncoding(url: string): void {
  if (url.includes('%00')) throw nulRefused()
  try {
    decodeURIComponent(pathOf(url))
  } catch {
    throw new AppError('not_found')
  }
}

/** Browsers ask for HTML when they open an address; programs get the envelope everywhere. */
function wantsPage(request: Request): boolean {
  const isPage = !/^\/(?:api|asset-library|media|objects|screenshots|assets)\//.test(pathOf(request.url))
  return isPage && (request.headers.get('accept') ?? '').includes('text/html')
}

export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Replaces the old name, which follows `/games/`, with the new one. */
function relocate(url: string, { from, to }: Moved): string {
  const { pathname, search } = readUrl(url)
  const segments = pathname.split('/')
  const index = segments.findIndex((segment, at) => segments[at - 1] === 'games' && decode(segment) === from)
  return segments.with(index, to).join('/') + search
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
