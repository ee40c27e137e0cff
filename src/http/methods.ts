import { AppError, toEnvelope } from '../errors.ts'
import { isSharedPath, preflightHeaders } from './headers.ts'

export interface RouteEntry {
  method: string
  path: string
}

/** Which methods an address answers: for 405 and OPTIONS, where the router only knows hit or miss. */
export function createMethodTable(routes: readonly RouteEntry[]) {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  for (const { method, path } of routes) {
    const entry = patterns.get(path) ?? { pattern: toPattern(path), methods: new Set<string>() }
    for (const name of method === 'ALL' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : [method])
      entry.methods.add(name)
    patterns.set(path, entry)
  }
  const entries = [...patterns.values()]

  function methodsOf(path: string): string[] {
    const methods = new Set(
      entries.filter(({ pattern }) => pattern.test(path)).flatMap((entry) => [...entry.methods]),
    )
    if (methods.size === 0) return []
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods, 'OPTIONS'].sort()
  }

  return {
    /** Fills a bare 404 or an OPTIONS request with what the address really answers. */
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

function toPattern(path: string): RegExp {
  const source = path
    .split('/')
    .map((segment) => {
      if (segment === '*') return '.*'
      return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    })
    .join('/')
  return new RegExp(`^${source}/?$`)
}
