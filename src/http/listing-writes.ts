import { pathOf } from './base.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** File uploads are counted per game, by the request and by the chunk. */
const LISTING_PATH = /^\/api\/v1\/private\/games\/[^/]+(?!\/upload\/)(?:\/|$)/

/** Whether a route, or a request to one, changes a listing on behalf of an account. */
export function isListingWrite(method: string, path: string): boolean {
  return !SAFE_METHODS.has(method) && LISTING_PATH.test(path)
}

export function requestsListingWrite({ method, url }: Request): boolean {
  return isListingWrite(method, pathOf(url))
}
