import { AppError, toEnvelope } from '../../errors.ts'
import { createRouteTable, type RouteEntry } from '../route-table.ts'
import { isSharedPath, preflightHeaders } from './headers.ts'

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Lists the methods of an address, for 405 and OPTIONS: the router only knows hit or miss. */
export function createMethodTable(routes: readonly RouteEntry[]) {
  const routeOf = createRouteTable(routes)
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

    /** Returns a 405 to send instead of a plain 404, or the response to OPTIONS; null otherwise. */
    refine(path: string, method: string, base: Headers): Response | null {
      const methods = methodsOf(path)
      const isOptions = method === 'OPTIONS'
      if (methods.length === 0 || (methods.includes(method) && !isOptions)) return null
      const headers = new Headers(base)
      headers.set('allow', methods.join(', '))
      headers.delete('content-length')
      if (isOptions) {
        headers.delete('content-type')
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
