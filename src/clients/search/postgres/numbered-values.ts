import type { Bitset } from './bitset.ts'
import { InvertedLists } from './inverted-lists.ts'
import { NumberLists } from './number-lists.ts'

/** A field with any number of different values, such as tags. */
export class NumberedValues {
  readonly values: string[] = []
  private readonly numbers = new Map<string, number>()
  private readonly lists = new NumberLists()
  private inverted: InvertedLists | null = null

  set(id: number, values: readonly string[]): void {
    this.inverted = null
    this.lists.set(
      id,
      values.map((value) => this.numberOf(value)),
    )
  }

  /** Adds those that have any of the values. */
  findAny(values: readonly string[], found: Bitset): Bitset {
    this.inverted ??= new InvertedLists(this.lists)
    this.inverted.addTo(
      found,
      values.flatMap((value) => this.numbers.get(value) ?? []),
    )
    return found
  }

  /** How many of the values each of the matches has. */
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

  /** How many of the matches have each value, by its number. */
  countIn(matches: Bitset): Int32Array {
    return this.lists.countAll(matches, this.values.length)
  }

  private numberOf(value: string): number {
    const known = this.numbers.get(value)
    if (known !== undefined) return known
    this.numbers.set(value, this.values.length)
    return this.values.push(value) - 1
  }
}
