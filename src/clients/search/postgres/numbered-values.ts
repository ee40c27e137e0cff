import type { Bitset } from './bitset.ts'
import { InvertedLists } from './inverted-lists.ts'
import { NumberLists } from './number-lists.ts'

/** A field with any number of distinct values, such as tags. Ids of unused values are reused. */
export class NumberedValues {
  /** Values by id; empty for unused ids. */
  readonly values: string[] = []
  /** How many documents have each value. */
  private readonly uses: number[] = []
  private readonly free: number[] = []
  private readonly numbers = new Map<string, number>()
  private readonly lists = new NumberLists()
  private readonly inverted = new InvertedLists(this.lists)

  set(id: number, values: readonly string[]): void {
    this.inverted.markChanged(id)
    const before = this.lists.listOf(id)
    const after = values.map((value) => this.take(value))
    this.lists.set(id, after)
    for (const number of before) this.release(number)
  }

  /** All values in use. */
  list(): string[] {
    return [...this.numbers.keys()]
  }

  /** Adds the documents that have any of the values. */
  findAny(values: readonly string[], found: Bitset): Bitset {
    this.inverted.addTo(
      found,
      values.flatMap((value) => this.numbers.get(value) ?? []),
    )
    return found
  }

  /** How many of the values each match has. */
  countEach(matches: Bitset, values: readonly string[], size: number): Uint8Array {
    const marks = new Uint8Array(this.values.length)
    for (const value of values) {
      const number = this.numbers.get(value)
      if (number !== undefined) marks[number] = 1
    }
    const counts = new Uint8Array(size)
    matches.forEach((id) => {
      counts[id] = this.lists.countMarked(id, marks)
    })
    return counts
  }

  /** How many of the matches have each value, by the value's id. */
  countIn(matches: Bitset): Int32Array {
    return this.lists.countAll(matches, this.values.length)
  }

  private take(value: string): number {
    const number = this.numbers.get(value) ?? this.free.pop() ?? this.values.length
    this.numbers.set(value, number)
    this.values[number] = value
    this.uses[number] = (this.uses[number] ?? 0) + 1
    return number
  }

  private release(number: number): void {
    const left = (this.uses[number] ?? 0) - 1
    this.uses[number] = left
    if (left > 0) return
    this.numbers.delete(this.values[number] ?? '')
    this.values[number] = ''
    this.free.push(number)
  }
}
