import { Bitset } from './bitset.ts'
import type { NumberLists } from './number-lists.ts'

/** Looking at this many changed documents costs a search a fraction of a millisecond. */
const CHANGED_MAX = 4096

/** For each number, the documents whose lists contained it when this was built, in one array. */
interface Sealed {
  /** The end offset of each number's documents, where those of the next one begin. */
  ends: Int32Array
  positions: Int32Array
}

/**
 * Maps every number in some lists to the documents whose lists contain it. Building takes milliseconds per
 * 100,000 documents, so documents that changed since are looked up in the lists themselves, until there are many.
 */
export class InvertedLists {
  private readonly sources: readonly NumberLists[]
  private sealed: Sealed | null = null
  private changed = new Bitset()
  private changedIds: number[] = []

  constructor(...sources: readonly NumberLists[]) {
    this.sources = sources
  }

  /** Call when the lists of a document change. */
  markChanged(id: number): void {
    if (this.sealed === null || this.changed.has(id)) return
    this.changed.add(id)
    this.changedIds.push(id)
    if (this.changedIds.length > CHANGED_MAX) this.sealed = null
  }

  addTo(found: Bitset, numbers: readonly number[]): void {
    const { ends, positions } = this.sealed ?? this.seal()
    for (const number of numbers) {
      const end = ends[number] ?? 0
      for (let index = ends[number - 1] ?? 0; index < end; index += 1) {
        const position = positions[index] ?? 0
        if (!this.changed.has(position)) found.add(position)
      }
    }
    if (this.changedIds.length === 0) return
    const wanted = new Set(numbers)
    for (const id of this.changedIds) {
      if (this.sources.some((lists) => lists.hasAny(id, wanted))) found.add(id)
    }
  }

  private seal(): Sealed {
    const { sources } = this
    const size = Math.max(...sources.map((lists) => lists.size))
    const ends = new Int32Array(size)
    for (const lists of sources) lists.countInto(ends)
    let total = 0
    for (let number = 0; number < size; number += 1) {
      const count = ends[number] ?? 0
      ends[number] = total
      total += count
    }
    const positions = new Int32Array(total)
    for (const lists of sources) lists.scatterInto(positions, ends)
    this.changed = new Bitset()
    this.changedIds = []
    this.sealed = { ends, positions }
    return this.sealed
  }
}
