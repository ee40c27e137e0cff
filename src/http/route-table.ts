export interface RouteEntry {
  method: string
  path: string
}

export const UNMATCHED = 'unmatched'

interface Segment {
  named: Map<string, Segment>
  parameter: Segment | null
  /** The pattern of a route that ends here. */
  route: string | null
  /** The pattern of a route that takes everything from here on. */
  rest: string | null
}

/**
 * Finds the pattern behind a path, so that log, metrics and traces have as many names as there are routes, not as there are
 * paths, and a 405 can name the methods. It stands beside the router, which tells its answer only to the handlers.
 */
export function createRouteTable(routes: readonly RouteEntry[]): (path: string) => string {
  const fixed = new Map<string, string>()
  const root = createSegment()
  for (const { path } of routes) {
    if (!path.includes(':') && !path.includes('*')) fixed.set(path, path)
    else plant(root, path)
  }
  return (path) => fixed.get(path) ?? seek(root, path) ?? fixed.get(withoutSlash(path)) ?? UNMATCHED
}

function createSegment(): Segment {
  return { named: new Map(), parameter: null, route: null, rest: null }
}

function plant(root: Segment, path: string): void {
  let segment = root
  for (const name of namesOf(path)) {
    if (name === '*') {
      segment.rest = path
      return
    }
    if (name.startsWith(':')) {
      segment = segment.parameter ??= createSegment()
    } else {
      const next = segment.named.get(name) ?? createSegment()
      segment.named.set(name, next)
      segment = next
    }
  }
  segment.route = path
}

function seek(root: Segment, path: string): string | null {
  const names = namesOf(path)
  return descend(root, 0)

  function descend(segment: Segment, depth: number): string | null {
    const name = names[depth]
    if (name === undefined) return segment.route ?? segment.rest
    const named = segment.named.get(name)
    return (
      (named && descend(named, depth + 1)) ??
      (segment.parameter && name !== '' ? descend(segment.parameter, depth + 1) : null) ??
      segment.rest
    )
  }
}

function namesOf(path: string): string[] {
  return withoutSlash(path).slice(1).split('/')
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
