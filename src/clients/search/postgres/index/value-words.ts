import { hasRun } from '../../../../lib/text/search-words.ts'
import type { TypoBudget } from './near-words.ts'
import { Vocabulary } from './vocabulary.ts'

/** Values by how well one of their words fits, the best first. */
export interface ValueFits {
  exact: readonly string[]
  beginning: readonly string[]
  oneTypo: readonly string[]
  twoTypos: readonly string[]
}

const NONE: ValueFits = { exact: [], beginning: [], oneTypo: [], twoTypos: [] }

/** Finds the values of a field by their words, such as tags. */
export class ValueWords {
  private readonly vocabulary = new Vocabulary()
  /** What was read last, by number. */
  private values: string[] = []
  private readonly ids = new Map<string, number>()
  private readonly numbers: Set<number>[] = []
  private readonly free: number[] = []
  private reading: Promise<void> = Promise.resolve()

  constructor(private readonly wordsOfValue: (value: string) => readonly string[]) {}

  /** Takes the current values by number; empty ones are unused. Reads only those that changed. */
  async read(values: readonly string[]): Promise<void> {
    const read = this.reading.then(() => this.apply(values))
    this.reading = read.catch(() => undefined)
    await read
  }

  /** The values with this very word, and with longer ones that begin with it. */
  find(word: string, asPrefix: boolean): ValueFits {
    const id = this.vocabulary.idOf(word)
    const exact = id === undefined ? [] : this.valuesWith([id])
    if (!asPrefix) return { ...NONE, exact }
    return {
      ...NONE,
      exact,
      beginning: this.valuesWith(this.vocabulary.startingWith(word).filter((one) => one !== id)),
    }
  }

  /** The numbers of the values with every word, of which there is at least one and the last may be incomplete. */
  findAll(words: readonly string[], asPrefix: boolean): Set<number> {
    const found = words.map((word, index) => {
      const isWhole = !asPrefix || index < words.length - 1
      const id = this.vocabulary.idOf(word)
      return this.numbersWith(isWhole ? (id === undefined ? [] : [id]) : this.vocabulary.startingWith(word))
    })
    return found.reduce((left, right) => left.intersection(right))
  }

  /** Empty for a number that is not in use. */
  valueOf(number: number): string {
    return this.values[number] ?? ''
  }

  /** The values with these words one after the other. */
  findPhrase(words: readonly string[]): string[] {
    const [first = ''] = words
    return this.find(first, false).exact.filter((value) => hasRun(this.wordsOfValue(value), words))
  }

  async findNear(word: string, asPrefix: boolean, maxEdits: number, budget: TypoBudget): Promise<ValueFits> {
    const fits = this.find(word, asPrefix)
    if (maxEdits === 0) return fits
    const near =
      (await this.vocabulary.near({ word, maxEdits, asPrefix }, budget)) ?? new Map<number, number>()
    const withTypos = (typos: number) =>
      this.valuesWith([...near].flatMap(([id, edits]) => (edits === typos ? id : [])))
    return { ...fits, oneTypo: withTypos(1), twoTypos: withTypos(2) }
  }

  /** The words within a few edits. */
  async wordsNear(
    word: string,
    maxEdits: number,
    budget: TypoBudget,
  ): Promise<[word: string, edits: number][]> {
    const near = (await this.vocabulary.near({ word, maxEdits, asPrefix: false }, budget)) ?? new Map()
    return [...near].flatMap(([id, edits]): [string, number][] => {
      const found = this.vocabulary.wordOf(id)
      return found === '' ? [] : [[found, edits]]
    })
  }

  private valuesWith(ids: readonly number[]): string[] {
    return Array.from(this.numbersWith(ids), (number) => this.values[number] ?? '')
  }

  private numbersWith(ids: readonly number[]): Set<number> {
    const found = new Set<number>()
    for (const id of ids) for (const number of this.numbers[id] ?? []) found.add(number)
    return found
  }

  private async apply(values: readonly string[]): Promise<void> {
    const changed = new Map<number, string | null>()
    for (let number = 0; number < Math.max(values.length, this.values.length); number += 1) {
      const [before = '', now = ''] = [this.values[number], values[number]]
      if (before === now) continue
      for (const word of this.wordsOfValue(before)) this.drop(word, number, changed)
      for (const word of this.wordsOfValue(now)) this.add(word, number, changed)
      this.values[number] = now
    }
    if (changed.size > 0) await this.vocabulary.apply(changed)
  }

  private add(word: string, number: number, changed: Map<number, string | null>): void {
    let id = this.ids.get(word)
    if (id === undefined) {
      id = this.free.pop() ?? this.numbers.length
      this.ids.set(word, id)
      this.numbers[id] = new Set()
      changed.set(id, word)
    }
    this.numbers[id]?.add(number)
  }

  private drop(word: string, number: number, changed: Map<number, string | null>): void {
    const id = this.ids.get(word)
    const numbers = id === undefined ? undefined : this.numbers[id]
    if (id === undefined || !numbers?.delete(number) || numbers.size > 0) return
    this.ids.delete(word)
    this.free.push(id)
    changed.set(id, null)
  }
}
