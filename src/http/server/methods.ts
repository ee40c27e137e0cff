import { Memoirist } from 'memoirist'

import { AppError, toEnvelope } from '../../errors.ts'
import { isSharedPath, preflightHeaders } from '../output/headers.ts'
import { PAGE_MARK } from './admission.ts'

export interface RouteEntry {
  method: string
  path: string
  /** What Elysia keeps with a route. */
  hooks?: { detail?: object }
}

export const UNMATCHED = 'unmatched'

/**
 * Finds the pattern of a path for any method, so that log, metrics and traces use one name per route and a
 * 405 can list the methods. A separate instance of Elysia's router, because the app's own only maps methods
 * to handlers.
 */
export function createRouteTable(routes: readonly RouteEntry[]): (path: string) => string {
  const router = new Memoirist<string>()
  for (const { path } of routes) router.add('', path, path)
  return (path) => router.find('', withoutSlash(path))?.store ?? UNMATCHED
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const CONTENT = ['content-type', 'content-length', 'content-encoding']

/** Lists the methods of an address, for 405 and OPTIONS: the router only knows hit or miss. */
export function createMethodTable(routes: readonly RouteEntry[]) {
  const routeOf = createRouteTable(routes)
  const pages = findPagesOfForms(routes)
  const table = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const methods = table.get(path) ?? new Set<string>()
    for (const name of method === 'ALL' ? ALL : [method]) methods.add(name)
    table.set(path, methods)
  }

  function methodsOf(path: string): string[] {
    const methods = table.get(routeOf(path))
    if (!methods) return []
    return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
  }

  return {
    routeOf,

    /**
     * Redirects someone who opens the address of a form to the page above it; null for all other addresses.
     */
    leadBack(route: string, path: string, method: string, given: Response): Response | null {
      const page = method === 'GET' || method === 'HEAD' ? pages.get(route) : undefined
      if (page === undefined) return null
      const headers = withoutContent(given)
      headers.set('location', path.split('/').slice(0, page.split('/').length).join('/') || '/')
      return new Response(null, { status: 303, headers })
    },

    /** Returns a 405 to send instead of a plain 404, or the response to OPTIONS; null otherwise. */
    refine(path: string, method: string, given: Response): Response | null {
      const methods = methodsOf(path)
      const isOptions = method === 'OPTIONS'
      if (methods.length === 0 || (methods.includes(method) && !isOptions)) return null
      const allow = methods.join(', ')
      if (!isOptions && given.headers.get('content-type')?.startsWith('text/html')) {
        const headers = new Headers(given.headers)
        headers.set('allow', allow)
        return new Response(given.body, { status: 405, headers })
      }
      const headers = withoutContent(given)
      headers.set('allow', allow)
      if (isOptions) {
        if (isSharedPath(path))
          for (const [name, value] of Object.entries(preflightHeaders(methods))) headers.set(name, value)
        return new Response(null, { status: 204, headers })
      }
      headers.set('content-type', 'application/json')
      return new Response(JSON.stringify(toEnvelope(new AppError('method_not_allowed'))), {
        status: 405,
        headers,
      })
    },
  }
}

function withoutContent({ headers: given }: Response): Headers {
  const headers = new Headers(given)
  for (const name of CONTENT) headers.delete(name)
  return headers
}

/** The pattern of the page above each form whose own address is no page. */
function findPagesOfForms(routes: readonly RouteEntry[]): Map<string, string> {
  const ofPages = routes.filter(({ hooks }) => Object.hasOwn(hooks?.detail ?? {}, PAGE_MARK))
  const opened = new Set(ofPages.filter(({ method }) => method === 'GET').map(({ path }) => trim(path)))
  const pages = new Map<string, string>()
  for (const { method, path } of ofPages) {
    if (method !== 'POST' || opened.has(trim(path))) continue
    let page = trim(path)
    while (page !== '' && !opened.has(page)) page = page.slice(0, page.lastIndexOf('/'))
    pages.set(path, page)
  }
  return pages
}

function trim(path: string): string {
  return path.replace(/\/$/, '')
}
