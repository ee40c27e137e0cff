import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import type { SearchQuery } from '../search-engine.ts'
import type { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'
import { type Keys, Top } from './top.ts'

const IDS_PER_CHECK = 1024

/** Scores by document id. All matches have the same one, except those with these ids. */
export interface RankScores {
  ids: Int32Array
  byId: Uint16Array
}

type VisitCandidates = (matches: Bitset, count: number, visit: (id: number) => void) => Promise<void>

/** Returns the requested window of the matches, in order. Scores are null without a text. */
export async function rank(
  columns: Columns,
  matches: Bitset,
  { offset, limit, sort, tags }: SearchQuery,
  scores: RankScores | null,
): Promise<number[]> {
  const end = offset + limit
  if (typeof sort === 'object') return columns.packages.sort(matches.toArray(), sort).slice(offset, end)
  if (sort !== 'relevance') {
    const order = sort === 'newest' ? columns.byPublished : columns.byUpdated
    const visitLatest: VisitCandidates = (...given) => order.visitLatest(...given)
    return (await first(columns, matches, end, [order.moments], visitLatest)).slice(offset)
  }
  const keys: ArrayLike<number>[] = [columns.published]
  // With a single tag, all matches have it.
  if (tags.length > 1) keys.unshift(columns.tags.countEach(matches, tags, columns.size))
  if (scores) keys.unshift(scores.byId)
  const visit: VisitCandidates =
    tags.length > 1
      ? (among, _, offer) => among.forEachBackwards(offer)
      : (...given) => visitByScore(columns, scores, ...given)
  const healthy = await first(columns, matches.copy().without(columns.troubled), end, keys, visit)
  const room = end - healthy.length
  const troubled =
    room > 0 ? await first(columns, matches.copy().and(columns.troubled), room, keys, visit) : []
  return [...healthy, ...troubled].slice(offset)
}

async function first(
  columns: Columns,
  matches: Bitset,
  count: number,
  keys: Keys,
  visitCandidates: VisitCandidates,
): Promise<number[]> {
  // With equal timestamps, the one created last comes first.
  const top = new Top(count, keys, (left, right) => columns.uids.compare(right, left))
  await visitCandidates(matches, count, (id) => top.offer(id))
  return top.sorted()
}

/** Matches with the same score are sorted by when they were published. */
async function visitByScore(
  { byPublished }: Columns,
  scores: RankScores | null,
  ...[matches, count, visit]: Parameters<VisitCandidates>
): Promise<void> {
  if (scores === null) return await byPublished.visitLatest(matches, count, visit)
  const rest = matches.copy()
  for (const [index, id] of scores.ids.entries()) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    if (!rest.has(id)) continue
    rest.delete(id)
    visit(id)
  }
  await byPublished.visitLatest(rest, count, visit)
}
