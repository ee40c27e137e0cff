import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { readUrl } from '../../lib/net/request-url.ts'

const ENTRIES_MAX = 500
const CHARACTERS_MAX = 300

type ReadQuery<Query> = (sent: URLSearchParams, ownedUids: readonly string[]) => Query

/**
 * Editors of one version send the same few queries. Returning the same object for them also saves the search engine
 * from hashing it again.
 */
export function cacheQueries<Query extends object>(
  read: ReadQuery<Query>,
): (url: string, ownedUids: readonly string[]) => Query {
  const cached = new BoundedCache<Query>({ maxEntries: ENTRIES_MAX })
  return (url, ownedUids) => {
    const text = url.slice(url.indexOf('?') + 1)
    const isCached = ownedUids.length === 0 && text.length <= CHARACTERS_MAX
    const known = isCached ? cached.get(text) : undefined
    if (known) return known
    const query = read(readUrl(url).searchParams, ownedUids)
    if (isCached) cached.set(text, query)
    return query
  }
}
