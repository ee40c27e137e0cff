import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { Prepared } from '../query/prepared.ts'
import type { Bitset } from './bitset.ts'
import { sortIndexes } from './radix-sort.ts'

const IDS_PER_CHECK = 4096

type Keys = Float64Array | Int32Array

interface OrderOptions {
  /** Begins at the lowest number. */
  isAscending?: boolean
  /** Orders documents with the same number, the highest first. */
  next?: () => Keys
  /** Not built before a search asks for it: few stores use every order. */
  isLazy?: boolean
}

/** Whether comparing all matches takes less time than following an order until it leads to the first `count`. */
export function areFew(matches: Bitset, count: number): boolean {
  const total = matches.count()
  return total <= count || total * total < matches.bytes * count
}

/** Document ids by a whole number, the highest first; otherwise equal ones in no particular order. */
export class SortedOrder extends Prepared<Int32Array> {
  readonly isAscending: boolean
  private readonly readNext: (() => Keys) | null
  private isWanted: boolean

  constructor(
    private readonly read: () => Keys,
    { isAscending = false, next, isLazy = false }: OrderOptions = {},
  ) {
    super()
    this.isAscending = isAscending
    this.readNext = next ?? null
    this.isWanted = !isLazy
  }

  /** The numbers by document id, and those that order equal ones. */
  get keys(): readonly Keys[] {
    return this.readNext ? [this.read(), this.readNext()] : [this.read()]
  }

  override async prepare(documents: number, isBulk: boolean): Promise<void> {
    if (this.isWanted) await super.prepare(documents, isBulk)
  }

  /** Builds the order for later searches, unless it is there. */
  want(documents: number): void {
    this.isWanted = true
    if (!this.isPrepared) void this.prepare(documents, false)
  }

  /** Visits at least the first `count` matches, with all that are equal to the last of them. */
  async visitFirst(matches: Bitset, count: number, visit: (id: number) => void): Promise<void> {
    if (this.current === null || areFew(matches, count)) {
      await matches.forEachBackwards(visit)
      return
    }
    const { built, changed } = this.current
    for (const id of changed.ids) if (matches.has(id)) visit(id)
    const [first, next] = [this.read(), this.readNext?.()]
    let [left, last] = [count, 0]
    for (let index = 0; index < built.length; index += 1) {
      if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      const id = built[index] ?? 0
      if (!matches.has(id) || changed.has(id)) continue
      if (left <= 0 && (first[id] !== first[last] || next?.[id] !== next?.[last])) return
      visit(id)
      left -= 1
      last = id
    }
  }

  protected async build(documents: number): Promise<Int32Array> {
    const keys = this.read().slice(0, documents)
    if (this.isAscending) for (let id = 0; id < documents; id += 1) keys[id] = -(keys[id] ?? 0)
    const next = this.readNext?.().slice(0, documents)
    return await sortIndexes(keys, next && (await sortIndexes(next)))
  }
}
