import { Bitset } from './bitset.ts'

/** Searches ask for the same few times during each minute. */
const SETS_MAX = 8

interface Published {
  readonly alive: Bitset
  readonly published: Float64Array
  readonly size: number
}

/** What was published since a time. The last sets are kept up to date instead of being built for each search. */
export class RecentSets {
  private readonly sets = new Map<number, Bitset>()

  /** Null: the document was removed. */
  set(id: number, published: number | null): void {
    for (const [from, found] of this.sets) found.set(id, published !== null && published >= from)
  }

  find(from: number, { alive, published, size }: Published): Bitset {
    const known = this.sets.get(from)
    if (known) return known
    const found = new Bitset(new Int32Array(Math.ceil(size / 32)))
    for (let id = 0; id < size; id += 1) if ((published[id] ?? 0) >= from && alive.has(id)) found.add(id)
    this.sets.set(from, found)
    const [oldest] = this.sets.keys()
    if (this.sets.size > SETS_MAX && oldest !== undefined) this.sets.delete(oldest)
    return found
  }
}
