import type { NextSection, Section } from '../snapshots/snapshot-file.ts'
import type { ChangedIds } from '../write/changed-ids.ts'
import type { Bitset } from './bitset.ts'
import { copyInto, grownLength } from './growth.ts'

/** A short list of numbers per document, all stored in one array. */
export class NumberLists {
  /** The highest number plus one. */
  size = 0
  private starts = new Int32Array()
  private lengths = new Uint16Array()
  private pool = new Int32Array()
  private used = 0
  /** How many entries of the pool belong to lists that have been replaced. */
  private dead = 0

  /** No document beyond this id has a list. */
  get capacity(): number {
    return this.lengths.length
  }

  set(position: number, numbers: readonly number[]): void {
    if (position >= this.starts.length) this.growPositions(position + 1)
    const before = this.lengths[position] ?? 0
    if (numbers.length > before) this.move(position, before, numbers.length)
    else this.dead += before - numbers.length
    for (const number of numbers) if (number >= this.size) this.size = number + 1
    this.pool.set(numbers, this.starts[position])
    this.lengths[position] = numbers.length
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

  sumMarks(position: number, marks: Uint8Array): number {
    const { pool } = this
    const start = this.starts[position] ?? 0
    const end = start + (this.lengths[position] ?? 0)
    let sum = 0
    for (let index = start; index < end; index += 1) sum += marks[pool[index] ?? 0] ?? 0
    return sum
  }

  /** Counts how often each number occurs in the lists of these documents. */
  countAll({ raw }: Bitset, size: number): Int32Array {
    const { pool, starts, lengths } = this
    const counts = new Int32Array(size)
    for (let at = 0; at < raw.length; at += 1) {
      for (let word = raw[at] ?? 0; word !== 0; word &= word - 1) {
        const position = (at << 5) + 31 - Math.clz32(word & -word)
        const start = starts[position] ?? 0
        const end = start + (lengths[position] ?? 0)
        for (let index = start; index < end; index += 1) {
          const number = pool[index] ?? 0
          counts[number] = (counts[number] ?? 0) + 1
        }
      }
    }
    return counts
  }

  /** Counts how often each number occurs in all lists. */
  countEvery(size: number): Int32Array {
    const counts = new Int32Array(size)
    this.countInto(counts, 0, this.lengths.length)
    return counts
  }

  /** Adds how often each number occurs in the lists of a range of documents. */
  countInto(counts: Int32Array, from: number, to: number, omitted?: ChangedIds): void {
    const { pool, starts, lengths } = this
    for (let position = from; position < to; position += 1) {
      if (omitted?.has(position)) continue
      const start = starts[position] ?? 0
      const end = start + (lengths[position] ?? 0)
      for (let index = start; index < end; index += 1) {
        const number = pool[index] ?? 0
        counts[number] = (counts[number] ?? 0) + 1
      }
    }
  }

  /**
   * Writes the document of every number to the number's offset in `next`, and increments that offset. A negative one is
   * the complement of the index of a set instead.
   */
  scatterInto(
    { positions, sets, next }: { positions: Int32Array; sets: readonly Bitset[]; next: Int32Array },
    from: number,
    to: number,
    omitted: ChangedIds,
  ): void {
    const { pool, starts, lengths } = this
    for (let position = from; position < to; position += 1) {
      if (omitted.has(position)) continue
      const start = starts[position] ?? 0
      const end = start + (lengths[position] ?? 0)
      for (let index = start; index < end; index += 1) {
        const number = pool[index] ?? 0
        const at = next[number] ?? 0
        if (at < 0) {
          sets[~at]?.add(position)
          continue
        }
        positions[at] = position
        next[number] = at + 1
      }
    }
  }

  save(documents: number): Section[] {
    return [
      this.starts.subarray(0, documents),
      this.lengths.subarray(0, documents),
      this.pool.subarray(0, this.used),
    ]
  }

  /** The lists of the changed documents are emptied: they may be torn. */
  async restore(next: NextSection, changed: readonly number[]): Promise<void> {
    this.starts = new Int32Array(await next())
    this.lengths = new Uint16Array(await next())
    this.pool = new Int32Array(await next())
    this.used = this.pool.length
    const { starts, lengths, pool } = this
    for (const id of changed) {
      if (id >= lengths.length) continue
      starts[id] = 0
      lengths[id] = 0
    }
    let live = 0
    for (let position = 0; position < lengths.length; position += 1) live += lengths[position] ?? 0
    this.dead = this.used - live
    for (let index = 0; index < pool.length; index += 1) {
      if ((pool[index] ?? 0) >= this.size) this.size = (pool[index] ?? 0) + 1
    }
  }

  /** Finds room for a longer list at the end of the pool. */
  private move(position: number, before: number, length: number): void {
    this.dead += before
    this.lengths[position] = 0
    if (this.dead > 1024 && this.dead > this.used / 2) this.compact()
    if (this.used + length > this.pool.length) this.growPool(this.used + length)
    this.starts[position] = this.used
    this.used += length
  }

  /** Replaces both arrays, because a snapshot may still be reading the previous ones. */
  private compact(): void {
    const pool = new Int32Array(grownLength(this.used - this.dead, 0))
    const starts = new Int32Array(this.starts.length)
    let used = 0
    for (let position = 0; position < starts.length; position += 1) {
      const start = this.starts[position] ?? 0
      const end = start + (this.lengths[position] ?? 0)
      starts[position] = used
      for (let index = start; index < end; index += 1, used += 1) pool[used] = this.pool[index] ?? 0
    }
    this.starts = starts
    this.pool = pool
    this.used = used
    this.dead = 0
  }

  private growPositions(least: number): void {
    const length = grownLength(least, this.starts.length)
    this.starts = copyInto(this.starts, new Int32Array(length))
    this.lengths = copyInto(this.lengths, new Uint16Array(length))
  }

  private growPool(least: number): void {
    this.pool = copyInto(this.pool, new Int32Array(grownLength(least, this.pool.length)))
  }
}
