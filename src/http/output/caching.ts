export interface CacheRule {
  /** Seconds a shared cache may reuse the response. */
  maxAge: number
}

/** Of every response that says nothing else: what depends on a session or answers a form is never stored. */
export const NOT_STORED = 'private, no-store'

/**
 * For data shown on pages: caches must revalidate before every use, so that hidden content is not served
 * again.
 */
export const ALWAYS_ASK: CacheRule = { maxAge: 0 }

/** Responses to a bearer may differ between people and must not be in shared caches. */
export function cacheControlOf(rule: CacheRule, isPersonal: boolean): string {
  return isPersonal ? 'private, no-cache' : `public, max-age=${rule.maxAge}, must-revalidate`
}

/** Declares the cache rule of a route that sends its validators itself, without the `cache` option. */
export function describeCache(rule: CacheRule): object {
  return { 'x-cache': rule }
}
