import { Bitset } from './bitset.ts'
import { NumberLists } from './number-lists.ts'

/** A field with any number of different values, such as tags. */
export class NumberedValues {
  readonly values: string[] = []
  private readonly numbers = new Map<string, number>()
  private readonly lists = new NumberLists()

  set(id: number, values: readonly string[]): void {
    this.lists.set(
      id,
      values.map((value) => this.numberOf(value)),
    )
  }

  /** A mark for each of the wanted values that anything has or had. */
  mark(wanted: (value: string) => boolean): Uint8Array {
    return Uint8Array.from(this.values, (value) => (wanted(value) ? 1 : 0))
  }

  markKnown(values: readonly string[]): Uint8Array {
    const marks = new Uint8Array(this.values.length)
    for (const value of values) {
      const number = this.numbers.get(value)
      if (number !== undefined) marks[number] = 1
    }
    return marks
  }

  countMarked(id: number, marks: Uint8Array): number {
    return this.lists.countMarked(id, marks)
  }

  /** Those among the candidates that have a marked value. */
  having(candidates: Bitset, marks: Uint8Array): Bitset {
    const found = new Bitset()
    if (!marks.includes(1)) return found
    candidates.forEach((id) => {
      if (this.lists.countMarked(id, marks) > 0) found.add(id)
    })
    return found
  }

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
