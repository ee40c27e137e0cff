import { jsonSection, type NextSection, readJson, type Section } from '../snapshots/snapshot-file.ts'
import type { Bitset } from './bitset.ts'
import { InvertedLists } from './inverted-lists.ts'
import { NumberLists } from './number-lists.ts'

/** Reading the values of a document takes as long as counting this many words of the sets. */
const DOCUMENT_WORDS = 128
/** A set of more than this share of the documents is counted in less time than a list. */
const QUICKER_AS_SET = 1 / 128

/** A field with any number of distinct values, such as tags. Ids of unused values are reused. */
export class NumberedValues {
  /** Values by id; empty for unused ids. */
  values: string[] = []
  /** How many documents have each value. */
  private uses: number[] = []
  private readonly free: number[] = []
  private readonly numbers = new Map<string, number>()
  private readonly lists = new NumberLists()
  private readonly inverted = new InvertedLists(this.lists, QUICKER_AS_SET)

  /** Returns whether the values changed. */
  set(id: number, values: readonly string[]): boolean {
    const before = this.lists.listOf(id)
    const isSame = (value: string, index: number) => this.numbers.get(value) === before[index]
    if (values.length === before.length && values.every(isSame)) return false
    this.inverted.markChanged(id)
    this.lists.set(
      id,
      values.map((value) => this.take(value)),
    )
    for (const number of before) this.release(number)
    return true
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

  /** The number of a value that is in use. */
  numberOf(value: string): number | undefined {
    return this.numbers.get(value)
  }

  /** How many documents have the value with this number. */
  usesOf(number: number): number {
    return this.uses[number] ?? 0
  }

  /** Whether a document has any. */
  hasValues(id: number): boolean {
    return this.lists.lengthOf(id) > 0
  }

  /** The values of a document. */
  valuesOf(id: number): string[] {
    return this.lists.listOf(id).map((number) => this.values[number] ?? '')
  }

  /** Returns a function that counts how many of the values a document has. */
  createCounter(values: readonly string[]): (id: number) => number {
    const marks = new Uint8Array(this.values.length)
    for (const value of values) {
      const number = this.numbers.get(value)
      if (number !== undefined) marks[number] = 1
    }
    return (id) => this.lists.sumMarks(id, marks)
  }

  /** Groups the matches by how many of the values they have, the most first. Each group is only valid until the next. */
  *groupByCount(matches: Bitset, values: readonly string[]): Generator<Bitset> {
    // For each binary digit, the matches whose count has it.
    const digits: Bitset[] = []
    try {
      for (const value of values) addOne(digits, this.findAny([value], matches.blank()).and(matches))
      for (let count = 2 ** digits.length - 1; count >= 0; count -= 1) {
        const group = matches.copy()
        for (const [index, digit] of digits.entries()) {
          if ((count >> index) & 1) group.and(digit)
          else group.without(digit)
        }
        if (!group.isEmpty()) yield group
        group.release()
      }
    } finally {
      for (const digit of digits) digit.release()
    }
  }

  /**
   * How many of the matches have each value, by the value's id. Only the `most` most common ones are exact, all others
   * are less common than these.
   */
  countIn(matches: Bitset, alive: Bitset, most: number): Int32Array {
    const size = this.values.length
    const [found, all] = [matches.count(), alive.count()]
    const few = this.inverted.setWords / DOCUMENT_WORDS
    if (found <= few) return this.lists.countAll(matches, size)
    if (all - found > few) {
      return this.inverted.countMost(matches, most, size) ?? this.lists.countAll(matches, size)
    }
    // Many searches exclude few documents, and those are quicker to count.
    const others = alive.copy().without(matches)
    const counts = this.lists.countAll(others, size)
    others.release()
    for (let number = 0; number < size; number += 1) {
      counts[number] = (this.uses[number] ?? 0) - (counts[number] ?? 0)
    }
    return counts
  }

  async prepare(documents: number, isBulk: boolean): Promise<void> {
    await this.inverted.prepare(documents, isBulk)
  }

  save(documents: number): Section[] {
    return [jsonSection(this.values), ...this.lists.save(documents)]
  }

  async restore(next: NextSection, changed: readonly number[]): Promise<void> {
    this.values = await readJson<string[]>(next)
    await this.lists.restore(next, changed)
    this.uses = Array.from(this.lists.countEvery(this.values.length))
    for (const [number, value] of this.values.entries()) {
      if ((this.uses[number] ?? 0) > 0) this.numbers.set(value, number)
      else this.discard(number)
    }
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
    this.discard(number)
  }

  private discard(number: number): void {
    this.values[number] = ''
    this.free.push(number)
  }
}

/** Increases the counts of these members, and releases their set. */
function addOne(digits: Bitset[], members: Bitset): void {
  let carry = members
  for (let index = 0; !carry.isEmpty(); index += 1) {
    const digit = digits[index] ?? carry.blank()
    digits[index] = digit
    const next = carry.copy().and(digit)
    digit.toggle(carry)
    carry.release()
    carry = next
  }
  carry.release()
}
