import type { Bitset } from './bitset.ts'
import type { NumberLists } from './number-lists.ts'

/**
 * Maps every number in some lists to the documents whose lists contain it. Takes milliseconds to build, so it
 * is rebuilt after each change.
 */
export class InvertedLists {
  /** The end offset of each number's documents, where those of the next one begin. */
  private readonly ends: Int32Array
  private readonly positions: Int32Array

  constructor(...sources: readonly NumberLists[]) {
    const size = Math.max(...sources.map((lists) => lists.size))
    const ends = new Int32Array(size)
    for (const lists of sources) lists.countInto(ends)
    let total = 0
    for (let number = 0; number < size; number += 1) {
      const count = ends[number] ?? 0
      ends[number] = total
      total += count
    }
    this.positions = new Int32Array(total)
    for (const lists of sources) lists.scatterInto(this.positions, ends)
    this.ends = ends
  }

  addTo(found: Bitset, numbers: readonly number[]): void {
    for (const number of numbers) {
      const end = this.ends[number] ?? 0
      for (let index = this.ends[number - 1] ?? 0; index < end; index += 1) {
        found.add(this.positions[index] ?? 0)
      }
    }
  }
}
