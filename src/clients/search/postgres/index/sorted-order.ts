import { BACKGROUND_MS, isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { Prepared } from '../query/prepared.ts'
import type { Bitset } from './bitset.ts'

const IDS_PER_CHECK = 4096
/** Shifted timestamps are positive and have 48 bits, which are sorted 16 at a time. */
const SHIFT = 2 ** 47
const DIGIT_VALUES = 2 ** 16
const TWO_DIGITS = 2 ** 32

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

  /** A radix sort of a copy: unlike a sort by comparison it can be interrupted. Few are sorted faster without. */
  protected async build(documents: number): Promise<Int32Array> {
    const moments = this.moments.slice(0, documents)
    if (documents <= IDS_PER_CHECK) {
      return new Int32Array(moments.keys()).sort(
        (left, right) => (moments[right] ?? 0) - (moments[left] ?? 0),
      )
    }
    const digits = [
      new Uint16Array(documents),
      new Uint16Array(documents),
      new Uint16Array(documents),
    ] as const
    let sorted: Int32Array = new Int32Array(documents)
    for (let id = 0; id < documents; id += 1) {
      if (id % IDS_PER_CHECK === 0 && isSliceOver(BACKGROUND_MS)) await nextSlice()
      const shifted = (moments[id] ?? 0) + SHIFT
      const high = Math.floor(shifted / TWO_DIGITS)
      const low = shifted - high * TWO_DIGITS
      digits[0][id] = low
      digits[1][id] = low / DIGIT_VALUES
      digits[2][id] = high
      sorted[id] = id
    }
    for (const digit of digits) sorted = await sortByDigit(sorted, digit)
    return sorted
  }
}

/** A stable sort by one digit of each id, the highest first. */
async function sortByDigit(ids: Int32Array, digits: Uint16Array): Promise<Int32Array> {
  const offsets = new Int32Array(DIGIT_VALUES)
  for (let id = 0; id < digits.length; id += 1) {
    const digit = digits[id] ?? 0
    offsets[digit] = (offsets[digit] ?? 0) + 1
  }
  let total = 0
  for (let digit = DIGIT_VALUES - 1; digit >= 0; digit -= 1) {
    const count = offsets[digit] ?? 0
    offsets[digit] = total
    total += count
  }
  const sorted = new Int32Array(ids.length)
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver(BACKGROUND_MS)) await nextSlice()
    const id = ids[index] ?? 0
    const digit = digits[id] ?? 0
    const at = offsets[digit] ?? 0
    sorted[at] = id
    offsets[digit] = at + 1
  }
  return sorted
}
