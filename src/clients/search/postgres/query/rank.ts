import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { SearchQuery } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import type { SortedOrder } from '../index/sorted-order.ts'
import type { Scores } from './score.ts'
import { Top } from './top.ts'

const IDS_PER_CHECK = 1024

/** The order of matches with the same score. */
interface Ranking {
  columns: Columns
  /** Those with more of these tags come first; empty if that is the same for all. */
  tags: readonly string[]
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
    return (await takeLatest(columns, order, matches, end)).slice(offset)
  }
  // With a single tag, all matches have it.
  const ranking = { columns, tags: tags.length > 1 ? tags : [] }
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

async function takeLatest(
  { uids }: Columns,
  order: SortedOrder,
  matches: Bitset,
  count: number,
): Promise<number[]> {
  // With equal timestamps, the one created last comes first.
  const top = new Top(count, [order.moments], (left, right) => uids.compare(right, left))
  await order.visitLatest(matches, count, (id) => top.offer(id))
  return top.sorted()
}

async function takeFirst({ columns, tags }: Ranking, matches: Bitset, count: number): Promise<number[]> {
  if (tags.length === 0) return await takeLatest(columns, columns.byPublished, matches, count)
  const taken: number[] = []
  for (const group of columns.tags.groupByCount(matches, tags)) {
    if (isSliceOver()) await nextSlice()
    taken.push(...(await takeLatest(columns, columns.byPublished, group, count - taken.length)))
    if (taken.length === count) break
  }
  return taken
}

/** Most matches have the same score, so only the others are compared by it. Takes the matches out of the set. */
async function takeBest(
  ranking: Ranking,
  matches: Bitset,
  count: number,
  { ids, scores, rest }: Scores,
): Promise<number[]> {
  const idOf = (index: number) => ids[index] ?? 0
  const compare = createCompare(ranking)
  const top = new Top(count, [scores], (left, right) => compare(idOf(left), idOf(right)))
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    if (matches.set(idOf(index), false)) top.offer(index)
  }
  const scored = top.sorted().map((index) => ({ id: idOf(index), score: scores[index] ?? 0 }))
  // Scored ones that are all better leave no room for others.
  const isFull = scored.length === count && (scored.at(-1)?.score ?? 0) > rest
  const others = isFull ? [] : (await takeFirst(ranking, matches, count)).map((id) => ({ id, score: rest }))
  return [...scored, ...others]
    .sort((left, right) => right.score - left.score || compare(left.id, right.id))
    .slice(0, count)
    .map(({ id }) => id)
}

function createCompare({ columns, tags }: Ranking): (left: number, right: number) => number {
  const { published, uids } = columns
  const countTags = tags.length > 0 ? columns.tags.createCounter(tags) : () => 0
  return (left, right) =>
    countTags(right) - countTags(left) ||
    (published[right] ?? 0) - (published[left] ?? 0) ||
    uids.compare(right, left)
}
