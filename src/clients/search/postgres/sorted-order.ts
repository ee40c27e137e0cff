import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import type { Bitset } from './bitset.ts'
import { Prepared } from './prepared.ts'

const IDS_PER_CHECK = 4096
/** Shifted timestamps are positive and have 48 bits, which are sorted 16 at a time. */
const SHIFT = 2 ** 47
const DIGITS = [1, 2 ** 16, 2 ** 32] as const
const DIGIT_VALUES = 2 ** 16

/** Document ids by a timestamp, the latest first; equal ones in no particular order. */
export class SortedOrder extends Prepared<Int32Array> {
  constructor(private readonly read: () => Float64Array) {
    super()
  }

  /** Timestamps by document id. */
  get moments(): Float64Array {
    return this.read()
  }

  /** Visits at least the latest `count` matches, with all that have the same timestamp as the last of them. */
  async visitLatest(matches: Bitset, count: number, visit: (id: number) => void): Promise<void> {
    const total = matches.count()
    // Of few matches, all are visited before the order leads to them.
    if (this.current === null || total <= count || total * total < matches.bytes * count) {
      await matches.forEachBackwards(visit)
      return
    }
    const { built, changed } = this.current
    for (const id of changed.ids) if (matches.has(id)) visit(id)
    const { moments } = this
    let [left, last] = [count, 0]
    for (let index = 0; index < built.length; index += 1) {
      if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      const id = built[index] ?? 0
      if (!matches.has(id) || changed.has(id)) continue
      const moment = moments[id] ?? 0
      if (left <= 0 && moment !== last) return
      visit(id)
      left -= 1
      last = moment
    }
  }

  /** A radix sort of a copy: unlike a sort by comparison it can be interrupted. */
  protected async build(documents: number): Promise<Int32Array> {
    const moments = this.moments.slice(0, documents)
    let sorted: Int32Array = new Int32Array(documents)
    for (let id = 0; id < documents; id += 1) sorted[id] = id
    for (const digit of DIGITS) sorted = await sortByDigit(sorted, moments, digit)
    return sorted
  }
}

/** A stable sort by one digit, the highest first. */
async function sortByDigit(ids: Int32Array, moments: Float64Array, digit: number): Promise<Int32Array> {
  const digitOf = (id: number) =>
    DIGIT_VALUES - 1 - (Math.floor(((moments[id] ?? 0) + SHIFT) / digit) % DIGIT_VALUES)
  const next = new Int32Array(DIGIT_VALUES + 1)
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    const value = digitOf(ids[index] ?? 0)
    next[value + 1] = (next[value + 1] ?? 0) + 1
  }
  for (let value = 0; value < DIGIT_VALUES; value += 1) {
    next[value + 1] = (next[value + 1] ?? 0) + (next[value] ?? 0)
  }
  const sorted = new Int32Array(ids.length)
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    const id = ids[index] ?? 0
    const value = digitOf(id)
    const at = next[value] ?? 0
    sorted[at] = id
    next[value] = at + 1
  }
  return sorted
}
