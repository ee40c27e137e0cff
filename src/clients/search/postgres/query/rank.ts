import type { Sort } from '../../../../domain/listings/facets.ts'
import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { SearchQuery } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import type { SortedOrder } from '../index/sorted-order.ts'
import type { Vocabulary } from '../index/vocabulary.ts'
import type { Scores } from './score.ts'
import { type Keys, Top } from './top.ts'

const IDS_PER_CHECK = 1024

/** The order of matches with the same score. */
interface Ranking {
  columns: Columns
  /** Those with more of these tags come first; empty if that is the same for all. */
  tags: readonly string[]
}

/** The orders by a number of the listing. */
const ORDERS: Readonly<Record<Exclude<Sort, 'relevance' | 'name'>, (columns: Columns) => SortedOrder>> = {
  newest: ({ byPublished }) => byPublished,
  updated: ({ byUpdated }) => byUpdated,
  popular: ({ byPopularity }) => byPopularity,
  rated: ({ byRated }) => byRated,
  price_low: ({ byLowPrice }) => byLowPrice,
  price_high: ({ byHighPrice }) => byHighPrice,
}

/** Returns the requested window of the matches, in order. Scores are null without a text. */
export async function rank(
  { columns, vocabulary }: { columns: Columns; vocabulary: Vocabulary },
  matches: Bitset,
  { offset, limit, sort, tags }: SearchQuery,
  scores: Scores | null,
): Promise<number[]> {
  if (limit === 0) return []
  const end = offset + limit
  if (typeof sort === 'object') return columns.packages.sort(matches.toArray(), sort).slice(offset, end)
  if (sort === 'name') return (await columns.byWords.takeFirst(matches, end, vocabulary)).slice(offset)
  if (sort !== 'relevance') {
    return (await takeByNumber(columns, ORDERS[sort](columns), matches, end)).slice(offset)
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

async function takeByNumber(
  { uids }: Columns,
  order: SortedOrder,
  matches: Bitset,
  count: number,
): Promise<number[]> {
  const { keys, isAscending } = order
  // Of otherwise equal ones, the one created last comes first.
  const byUid = (left: number, right: number) => uids.compare(right, left)
  const top = isAscending ? new Top(count, [], upwards(keys, byUid)) : new Top(count, keys, byUid)
  await order.visitFirst(matches, count, (id) => top.offer(id))
  order.want(uids.size)
  return top.sorted()
}

type Compare = (left: number, right: number) => number

/** By the first key the lowest first, by the others the highest. */
function upwards([first = [], ...others]: Keys, breakTie: Compare): Compare {
  return (left, right) => {
    let order = (first[left] ?? 0) - (first[right] ?? 0)
    for (const key of others) order ||= (key[right] ?? 0) - (key[left] ?? 0)
    return order || breakTie(left, right)
  }
}

async function takeNewest(columns: Columns, matches: Bitset, count: number): Promise<number[]> {
  return await takeByNumber(columns, columns.byPublished, matches, count)
}

async function takeFirst({ columns, tags }: Ranking, matches: Bitset, count: number): Promise<number[]> {
  if (tags.length === 0) return await takeNewest(columns, matches, count)
  const taken: number[] = []
  for (const group of columns.tags.groupByCount(matches, tags)) {
    if (isSliceOver()) await nextSlice()
    taken.push(...(await takeNewest(columns, group, count - taken.length)))
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
