import { sha256Hex } from '../../../../lib/bytes/hash.ts'
import type { SearchQuery } from '../../search-engine.ts'

/** Of the part of a search that does not depend on page or sort order. */
export function resultsKeyOf({ text, find, filter, facets }: SearchQuery): string {
  return hashOf([text, find, filter, facetKeysOf(filter, facets)])
}

export function pageKeyOf({ text, find, filter, facets, tags, sort, offset, limit }: SearchQuery): string {
  return hashOf([text, find, filter, facetKeysOf(filter, facets), tags, sort, offset, limit])
}

/** Hashes the key, so that its length does not depend on the query. */
function hashOf(asked: readonly unknown[]): string {
  return sha256Hex(JSON.stringify(asked))
}

/** Most facets use the filter of the results, which is omitted here to keep the key short. */
function facetKeysOf(filter: SearchQuery['filter'], facets: SearchQuery['facets']): unknown[] {
  return facets.map((request) => {
    const { filter: own, ...asked } = request
    return own === filter ? asked : request
  })
}
