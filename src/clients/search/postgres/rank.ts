import type { SearchQuery } from '../search-engine.ts'
import type { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'
import { type Keys, Top } from './top.ts'

/** Returns the requested window of the matches, in order. Scores are null without a text. */
export async function rank(
  columns: Columns,
  matches: Bitset,
  query: SearchQuery,
  scores: ArrayLike<number> | null,
): Promise<number[]> {
  const { offset, limit, sort, tags } = query
  if (typeof sort === 'object')
    return columns.packages.sort(matches.toArray(), sort).slice(offset, offset + limit)
  if (sort !== 'relevance') {
    const moments = sort === 'newest' ? columns.published : columns.updated
    return (await first(columns, matches, offset + limit, [moments])).slice(offset)
  }
  const keys: ArrayLike<number>[] = [columns.published]
  // With a single tag, all matches have it.
  if (tags.length > 1) keys.unshift(columns.tags.countEach(matches, tags, columns.size))
  if (scores) keys.unshift(scores)
  const healthy = await first(columns, matches.copy().without(columns.troubled), offset + limit, keys)
  const room = offset + limit - healthy.length
  const troubled = room > 0 ? await first(columns, matches.copy().and(columns.troubled), room, keys) : []
  return [...healthy, ...troubled].slice(offset)
}

async function first(columns: Columns, matches: Bitset, count: number, keys: Keys): Promise<number[]> {
  // With equal timestamps, the one created last comes first.
  const top = new Top(count, keys, (left, right) => (columns.uidOf(left) < columns.uidOf(right) ? 1 : -1))
  // The newest documents have the highest ids, so visiting them first avoids most heap insertions.
  await matches.forEachBackwards((id) => top.offer(id))
  return top.sorted()
}
