import { BACKGROUND_MS, isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { Prepared } from '../query/prepared.ts'
import { Top } from '../query/top.ts'
import type { ChangedIds } from '../write/changed-ids.ts'
import { Bitset } from './bitset.ts'
import type { NumberLists } from './number-lists.ts'

const DOCUMENTS_PER_CHECK = 4096
/** A set takes less memory than a list of more than this share of the documents. */
export const SMALLER_AS_SET = 1 / 32

/** For each number, the documents whose lists contain it. */
interface Inverted {
  /** Where its range of `positions` starts; for a common number, the complement of the index of its set. */
  starts: Int32Array
  ends: Int32Array
  positions: Int32Array
  sets: readonly Bitset[]
  /** The number of each set. */
  common: readonly number[]
  /** All other numbers, those of most documents first; null until needed. */
  others: Int32Array | null
}

/** Maps every number to the documents whose lists contain it. */
export class InvertedLists extends Prepared<Inverted> {
  /** Numbers of more than this share of the documents are stored as sets. */
  constructor(
    private readonly lists: NumberLists,
    private readonly setShare: number,
  ) {
    super()
  }

  /** The length of all sets. */
  get setWords(): number {
    return this.current?.built.sets.reduce((sum, { raw }) => sum + raw.length, 0) ?? 0
  }

  /** Adds the documents with any of the numbers; those outside of `among` may be missing. */
  addTo(found: Bitset, numbers: readonly number[], among: Bitset | null = null): void {
    if (numbers.length === 0) return
    const wanted = new Set(numbers)
    const { lists } = this
    if (this.current === null) {
      for (let id = 0; id < lists.capacity; id += 1) if (lists.hasAny(id, wanted)) found.add(id)
      return
    }
    const { built, changed } = this.current
    const own = found.blank()
    for (const number of numbers) {
      const start = built.starts[number] ?? 0
      const set = built.sets[~start]
      if (set) own.or(set)
      else own.addAll(built.positions, start, built.ends[number] ?? 0)
    }
    for (const id of changed.ids) own.set(id, (among?.has(id) ?? true) && lists.hasAny(id, wanted))
    found.or(own)
    own.release()
  }

  /**
   * How many of the matches have each number. Only the `most` most common ones are exact, all others are less common
   * than these. Null until the lists are built.
   */
  countMost(matches: Bitset, most: number, size: number): Int32Array | null {
    if (this.current === null) return null
    const { built, changed } = this.current
    const counts = new Int32Array(size)
    let changedMatches = 0
    for (const id of changed.ids) {
      if (!matches.has(id)) continue
      changedMatches += 1
      this.lists.countInto(counts, id, id + 1)
    }
    const unchanged = matches.copy().without(changed.members)
    const top = new Top(most, [counts], () => 0)
    const add = (number: number, count: number) => {
      counts[number] = (counts[number] ?? 0) + count
      top.offer(number)
    }
    const { starts, ends, positions, sets, common } = built
    for (const [index, count] of unchanged.countCommonEach(sets).entries()) add(common[index] ?? 0, count)
    built.others ??= sortByLength(starts, ends)
    for (const number of built.others) {
      const [start, end] = [starts[number] ?? 0, ends[number] ?? 0]
      // From here on, no number can be as common as those found.
      if (top.last !== undefined && end - start + changedMatches < (counts[top.last] ?? 0)) break
      add(number, unchanged.countAmong(positions, start, end))
    }
    unchanged.release()
    return counts
  }

  protected async build(documents: number, omitted: ChangedIds): Promise<Inverted> {
    const { lists } = this
    const { size } = lists
    const counts = new Int32Array(size)
    await inSteps(documents, (from, to) => lists.countInto(counts, from, to, omitted))
    const starts = new Int32Array(size)
    const [sets, common]: [Bitset[], number[]] = [[], []]
    let total = 0
    for (let number = 0; number < size; number += 1) {
      const count = counts[number] ?? 0
      if (count > documents * this.setShare) {
        starts[number] = ~sets.length
        common.push(number)
        sets.push(new Bitset(new Int32Array(Math.ceil(documents / 32))))
      } else {
        starts[number] = total
        total += count
      }
    }
    const ends = starts.slice()
    const positions = new Int32Array(total)
    const into = { positions, sets, next: ends }
    await inSteps(documents, (from, to) => lists.scatterInto(into, from, to, omitted))
    return { starts, ends, positions, sets, common, others: null }
  }
}

/** The numbers with a range, the longest first. */
function sortByLength(starts: Int32Array, ends: Int32Array): Int32Array {
  const lengthOf = (number: number) => (ends[number] ?? 0) - (starts[number] ?? 0)
  return Int32Array.from(starts.keys())
    .filter((number) => lengthOf(number) > 0)
    .sort((left, right) => lengthOf(right) - lengthOf(left))
}

async function inSteps(documents: number, visit: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < documents; from += DOCUMENTS_PER_CHECK) {
    if (isSliceOver(BACKGROUND_MS)) await nextSlice()
    visit(from, Math.min(documents, from + DOCUMENTS_PER_CHECK))
  }
}
