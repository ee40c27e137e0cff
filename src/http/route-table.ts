import { Memoirist } from 'memoirist'

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
