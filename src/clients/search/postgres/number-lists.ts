import type { Bitset } from './bitset.ts'

/** A short list of numbers per document, all stored in one array. */
export class NumberLists {
  /** The highest number plus one. */
  size = 0
  private starts = new Int32Array(64)
  private lengths = new Uint16Array(64)
  private pool = new Int32Array(256)
  private used = 0
  /** How many entries of the pool belong to lists that have been replaced. */
  private dead = 0

  set(position: number, numbers: readonly number[]): void {
    if (position >= this.starts.length) this.growPositions(position + 1)
    this.dead += this.lengths[position] ?? 0
    if (this.dead > 1024 && this.dead > this.used / 2) this.compact(position)
    if (this.used + numbers.length > this.pool.length) this.growPool(this.used + numbers.length)
    for (const number of numbers) if (number >= this.size) this.size = number + 1
    this.pool.set(numbers, this.used)
    this.starts[position] = this.used
    this.lengths[position] = numbers.length
    this.used += numbers.length
  }

  listOf(position: number): number[] {
    const start = this.starts[position] ?? 0
    return Array.from(this.pool.subarray(start, start + (this.lengths[position] ?? 0)))
  }

  lengthOf(position: number): number {
    return this.lengths[position] ?? 0
  }

  at(position: number, index: number): number {
    return this.pool[(this.starts[position] ?? 0) + index] ?? 0
  }

  hasAny(position: number, numbers: ReadonlySet<number>): boolean {
    const start = this.starts[position] ?? 0
    const end = start + (this.lengths[position] ?? 0)
    for (let index = start; index < end; index += 1) if (numbers.has(this.pool[index] ?? 0)) return true
    return false
  }

  /** The highest mark among the numbers of the list. */
  highestMark(position: number, marks: Uint8Array): number {
    const { pool } = this
    const start = this.starts[position] ?? 0
    const end = start + (this.lengths[position] ?? 0)
    let highest = 0
    for (let index = start; index < end; index += 1) {
      const mark = marks[pool[index] ?? 0] ?? 0
      if (mark > highest) highest = mark
    }
    return highest
  }

  /** How many numbers of the list are marked. */
  countMarked(position: number, marks: Uint8Array): number {
    const start = this.starts[position] ?? 0
    const end = start + (this.lengths[position] ?? 0)
    let count = 0
    for (let index = start; index < end; index += 1) count += marks[this.pool[index] ?? 0] ?? 0
    return count
  }

  /** Counts how often each number occurs in the lists of these documents. */
  countAll(positions: Bitset, size: number): Int32Array {
    const counts = new Int32Array(size)
    positions.forEach((position) => {
      const start = this.starts[position] ?? 0
      const end = start + (this.lengths[position] ?? 0)
      for (let index = start; index < end; index += 1) {
        const number = this.pool[index] ?? 0
        counts[number] = (counts[number] ?? 0) + 1
      }
    })
    return counts
  }

  /** Adds how often each number occurs in all lists. */
  countInto(counts: Int32Array): void {
    const { pool, starts, lengths } = this
    for (let position = 0; position < lengths.length; position += 1) {
      const start = starts[position] ?? 0
      const end = start + (lengths[position] ?? 0)
      for (let index = start; index < end; index += 1) {
        const number = pool[index] ?? 0
        counts[number] = (counts[number] ?? 0) + 1
      }
    }
  }

  /** Writes the document of every number to the number's offset in `next`, and increments that offset. */
  scatterInto(positions: Int32Array, next: Int32Array): void {
    const { pool, starts, lengths } = this
    for (let position = 0; position < lengths.length; position += 1) {
      const start = starts[position] ?? 0
      const end = start + (lengths[position] ?? 0)
      for (let index = start; index < end; index += 1) {
        const number = pool[index] ?? 0
        const at = next[number] ?? 0
        positions[at] = position
        next[number] = at + 1
      }
    }
  }

  private compact(leaving: number): void {
    const pool = new Int32Array(this.pool.length)
    let used = 0
    for (const [position, length] of this.lengths.entries()) {
      if (length === 0 || position === leaving) continue
      const start = this.starts[position] ?? 0
      pool.set(this.pool.subarray(start, start + length), used)
      this.starts[position] = used
      used += length
    }
    this.pool = pool
    this.used = used
    this.dead = 0
  }

  private growPositions(least: number): void {
    const size = Math.max(least, this.starts.length * 2)
    const [starts, lengths] = [new Int32Array(size), new Uint16Array(size)]
    starts.set(this.starts)
    lengths.set(this.lengths)
    this.starts = starts
    this.lengths = lengths
  }

  private growPool(least: number): void {
    const pool = new Int32Array(Math.max(least, this.pool.length * 2))
    pool.set(this.pool)
    this.pool = pool
  }
}
