import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import type { SearchQuery } from '../search-engine.ts'
import type { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'
import type { Scores } from './score.ts'
import type { SortedOrder } from './sorted-order.ts'
import { type Keys, Top } from './top.ts'

const IDS_PER_CHECK = 1024

/** Selects the first of some matches. */
interface Ranking {
  columns: Columns
  keys: Keys
  /** The order of the only key; null if there are more. */
  order: SortedOrder | null
}

/** Returns the requested window of the matches, in order. Scores are null without a text. */
export async function rank(
  columns: Columns,
  matches: Bitset,
  { offset, limit, sort, tags }: SearchQuery,
  scores: Scores | null,
): Promise<number[]> {
  const end = offset + limit
  if (typeof sort === 'object') return columns.packages.sort(matches.toArray(), sort).slice(offset, end)
  if (sort !== 'relevance') {
    const order = sort === 'newest' ? columns.byPublished : columns.byUpdated
    const ranking = { columns, keys: [order.moments], order }
    return (await takeFirst(ranking, matches, end)).slice(offset)
  }
  const ranking: Ranking = { columns, keys: [columns.published], order: columns.byPublished }
  // With a single tag, all matches have it.
  if (tags.length > 1) {
    ranking.keys = [columns.tags.countEach(matches, tags, columns.size), columns.published]
    ranking.order = null
  }
  const take = async (among: Bitset, count: number) => {
    const taken = await (scores ? takeBest(ranking, among, count, scores) : takeFirst(ranking, among, count))
    among.release()
    return taken
  }
  const healthy = await take(matches.copy().without(columns.troubled), end)
  const room = end - healthy.length
  const troubled = room > 0 ? await take(matches.copy().and(columns.troubled), room) : []
  return [...healthy, ...troubled].slice(offset)
}

async function takeFirst(ranking: Ranking, matches: Bitset, count: number): Promise<number[]> {
  const { columns, keys, order } = ranking
  // With equal timestamps, the one created last comes first.
  const top = new Top(count, keys, (left, right) => columns.uids.compare(right, left))
  const offer = (id: number) => top.offer(id)
  await (order ? order.visitLatest(matches, count, offer) : matches.forEachBackwards(offer))
  return top.sorted()
}

/** Most matches have the same score, so only the others are compared by it. Takes the matches out of the set. */
async function takeBest(
  ranking: Ranking,
  matches: Bitset,
  count: number,
  { ids, scores, rest }: Scores,
): Promise<number[]> {
  const { keys, columns } = ranking
  const idOf = (index: number) => ids[index] ?? 0
  const compare = (left: number, right: number) => {
    for (const key of keys) {
      const difference = (key[right] ?? 0) - (key[left] ?? 0)
      if (difference !== 0) return difference
    }
    return columns.uids.compare(right, left)
  }
  const top = new Top(count, [scores], (left, right) => compare(idOf(left), idOf(right)))
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    if (matches.set(idOf(index), false)) top.offer(index)
  }
  const scored = top.sorted().map((index) => ({ id: idOf(index), score: scores[index] ?? 0 }))
  const others = (await takeFirst(ranking, matches, count)).map((id) => ({ id, score: rest }))
  return [...scored, ...others]
    .sort((left, right) => right.score - left.score || compare(left.id, right.id))
    .slice(0, count)
    .map(({ id }) => id)
}
