import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { Prepared } from '../query/prepared.ts'
import type { Bitset } from './bitset.ts'
import { sortIndexes } from './radix-sort.ts'

const IDS_PER_CHECK = 4096

interface VisitOptions {
  matches: Bitset
  count: number
  /** Begins at the lowest number instead. */
  isAscending?: boolean
}

/** Document ids by a whole number, the highest first; equal ones in no particular order. */
export class SortedOrder extends Prepared<Int32Array> {
  /** `isWanted` is false for an order that few stores use: it is not built before a search asks for it. */
  constructor(
    private readonly read: () => Float64Array | Int32Array,
    private isWanted = true,
  ) {
    super()
  }

  /** The numbers by document id. */
  get keys(): Float64Array | Int32Array {
    return this.read()
  }

  override async prepare(documents: number, isBulk: boolean): Promise<void> {
    if (this.isWanted) await super.prepare(documents, isBulk)
  }

  /** Builds the order for later searches, unless it is there. */
  want(documents: number): void {
    this.isWanted = true
    if (this.current === null) void this.prepare(documents, false)
  }

  /** Visits at least the first `count` matches, with all that have the same number as the last of them. */
  async visitFirst(
    { matches, count, isAscending = false }: VisitOptions,
    visit: (id: number) => void,
  ): Promise<void> {
    const total = matches.count()
    // Of few matches, all are visited before the order leads to them.
    if (this.current === null || total <= count || total * total < matches.bytes * count) {
      await matches.forEachBackwards(visit)
      return
    }
    const { built, changed } = this.current
    for (const id of changed.ids) if (matches.has(id)) visit(id)
    const { keys } = this
    let [left, last] = [count, 0]
    for (let index = 0; index < built.length; index += 1) {
      if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      const id = built[isAscending ? built.length - 1 - index : index] ?? 0
      if (!matches.has(id) || changed.has(id)) continue
      const key = keys[id] ?? 0
      if (left <= 0 && key !== last) return
      visit(id)
      left -= 1
      last = key
    }
  }

  protected async build(documents: number): Promise<Int32Array> {
    return await sortIndexes(this.keys.slice(0, documents))
  }
}
