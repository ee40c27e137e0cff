import { pathOf } from '../base.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Excludes file uploads, which are counted per game, by request and by chunk. */
const LISTING_PATH = /^\/api\/v1\/private\/games\/[^/]+(?!\/upload\/)(?:\/|$)/

/** Whether a route, or a request to it, changes a listing on behalf of an account. */
export function isListingWrite(method: string, path: string): boolean {
  return !SAFE_METHODS.has(method) && LISTING_PATH.test(path)
}

export function requestsListingWrite({ method, url }: Request): boolean {
  return isListingWrite(method, pathOf(url))
}
