export interface CacheRule {
  /** Seconds a shared cache may keep the response. */
  maxAge: number
}

/** For what a page shows: a cache may keep it, but asks before every use, so that nothing hidden is shown again. */
export const ALWAYS_ASK: CacheRule = { maxAge: 0 }

/** A validator made from the bytes sent: equal bytes, equal tag. */
export function etagOf(body: string): string {
  return `"${Bun.hash.xxHash3(body).toString(36)}"`
}

export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

/** Responses to a bearer may differ from person to person and stay out of shared caches. */
export function cacheControlOf(rule: CacheRule, isPersonal: boolean): string {
  return isPersonal ? 'private, no-cache' : `public, max-age=${rule.maxAge}, must-revalidate`
}

/** Declared by a route that sends its validators itself, as the `cache` option does for the others. */
export function describeCache(rule: CacheRule): object {
  return { 'x-cache': rule }
}
