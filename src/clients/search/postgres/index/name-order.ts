import { BACKGROUND_MS, isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { Prepared } from '../query/prepared.ts'
import { Top } from '../query/top.ts'
import type { Bitset } from './bitset.ts'
import type { NumberLists } from './number-lists.ts'
import { sortIndexes } from './radix-sort.ts'
import { areFew } from './sorted-order.ts'
import type { Uids } from './uids.ts'
import type { Vocabulary } from './vocabulary.ts'

const IDS_PER_CHECK = 4096
/** A sort key has room for the ranks of two words. */
const RANK_BITS = 23
const RANK_MAX = 2 ** RANK_BITS - 1

/** What names are compared by. */
interface Named {
  /** The word ids of each name. */
  readonly name: NumberLists
  readonly published: Float64Array
  readonly uids: Uids
}

/**
 * Document ids by name, word by word, so that case and accents do not count; of equal names the newest comes first.
 * Not built before a search asks for it.
 */
export class NameOrder extends Prepared<Int32Array> {
  private vocabulary: Vocabulary | null = null

  constructor(private readonly read: () => Named) {
    super()
  }

  override async prepare(documents: number, isBulk: boolean): Promise<void> {
    if (this.vocabulary) await super.prepare(documents, isBulk)
  }

  /** The first matches, in order. */
  async takeFirst(matches: Bitset, count: number, vocabulary: Vocabulary): Promise<number[]> {
    this.vocabulary = vocabulary
    const compare = createCompare(this.read(), vocabulary)
    const top = new Top(count, [], compare)
    if (!this.isPrepared) void this.prepare(this.read().uids.size, false)
    if (this.current === null || areFew(matches, count)) {
      await matches.forEachBackwards((id) => top.offer(id))
      return top.sorted()
    }
    const { built, changed } = this.current
    for (const id of changed.ids) if (matches.has(id)) top.offer(id)
    for (let index = 0, left = count; index < built.length && left > 0; index += 1) {
      if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      const id = built[index] ?? 0
      if (!matches.has(id) || changed.has(id)) continue
      top.offer(id)
      left -= 1
    }
    return top.sorted()
  }

  protected async build(documents: number): Promise<Int32Array> {
    const { vocabulary } = this
    if (!vocabulary) return new Int32Array()
    const ranks = await vocabulary.listRanks()
    const { name } = this.read()
    const keys = new Float64Array(documents)
    for (let id = 0; id < documents; id += 1) {
      if (id % IDS_PER_CHECK === 0 && isSliceOver(BACKGROUND_MS)) await nextSlice()
      const rankAt = (index: number) =>
        index < name.lengthOf(id) ? Math.min(ranks[name.at(id, index)] ?? 0, RANK_MAX) : 0
      // Negative, because the highest key comes first.
      keys[id] = -(rankAt(0) * 2 ** RANK_BITS + rankAt(1))
    }
    const sorted = await sortIndexes(keys)
    await sortTies(sorted, keys, createCompare(this.read(), vocabulary))
    return sorted
  }
}

/** Sorts the runs of ids with equal keys. */
async function sortTies(
  sorted: Int32Array,
  keys: Float64Array,
  compare: (left: number, right: number) => number,
): Promise<void> {
  for (let start = 0; start < sorted.length;) {
    if (isSliceOver(BACKGROUND_MS)) await nextSlice()
    const key = keys[sorted[start] ?? 0]
    let end = start + 1
    while (end < sorted.length && keys[sorted[end] ?? 0] === key) end += 1
    if (end - start > 1) sorted.subarray(start, end).sort(compare)
    start = end
  }
}

function createCompare(
  { name, published, uids }: Named,
  vocabulary: Vocabulary,
): (left: number, right: number) => number {
  return (left, right) => {
    const [leftLength, rightLength] = [name.lengthOf(left), name.lengthOf(right)]
    for (let index = 0; index < Math.min(leftLength, rightLength); index += 1) {
      const [leftWord, rightWord] = [name.at(left, index), name.at(right, index)]
      if (leftWord !== rightWord) return vocabulary.wordOf(leftWord) < vocabulary.wordOf(rightWord) ? -1 : 1
    }
    return (
      leftLength - rightLength ||
      (published[right] ?? 0) - (published[left] ?? 0) ||
      uids.compare(right, left)
    )
  }
}
