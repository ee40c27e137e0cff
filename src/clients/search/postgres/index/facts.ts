import { KNOWN_VALUES, wordsOfDeveloper, wordsOfValue } from '../../../../domain/listings/everyday-words.ts'
import type { SearchField } from '../../search-engine.ts'
import { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'
import type { TypoBudget } from './near-words.ts'
import { type ValueFits, ValueWords } from './value-words.ts'

const wordsOfSlug = (field: SearchField) => (value: string) =>
  value === '' ? [] : wordsOfValue(field, value)

/** What a listing is found by beside its texts: its developer, tags and other values, by their words. */
export class Facts {
  readonly tags = new ValueWords(wordsOfSlug('tags'))
  readonly developers = new ValueWords(wordsOfDeveloper)
  readonly engines = new ValueWords(wordsOfSlug('engines'))
  readonly languages = new ValueWords(wordsOfSlug('languages'))
  readonly closed = new ValueWords((key) => {
    const known = KNOWN_VALUES[Number(key)]
    return known ? wordsOfValue(known.field, known.value) : []
  })
  private generation = -1

  /** Call before use; does nothing unless documents changed. */
  async read(columns: Columns, filterGeneration: number): Promise<void> {
    if (filterGeneration === this.generation) return
    await this.closed.read(KNOWN_VALUES.map((_, index) => String(index)))
    await this.tags.read(columns.tags.values)
    await this.engines.read(columns.engines.values)
    await this.languages.read(columns.languages.values)
    await this.developers.read(columns.developers.values)
    this.generation = filterGeneration
  }

  find(columns: Columns, word: string, asPrefix: boolean): FactFits {
    return this.collect(columns, (words) => words.find(word, asPrefix))
  }

  /** The documents with a value that has these words one after the other. */
  findPhrase(columns: Columns, words: readonly string[]): Bitset {
    const found = columns.alive.blank()
    columns.tags.findAny(this.tags.findPhrase(words), found)
    columns.engines.findAny(this.engines.findPhrase(words), found)
    columns.languages.findAny(this.languages.findPhrase(words), found)
    columns.developers.findAny(this.developers.findPhrase(words), found)
    for (const key of this.closed.findPhrase(words)) {
      const known = KNOWN_VALUES[Number(key)]
      const set = known && columns.closed.setsOf(known.field)?.get(known.value)
      if (set) found.or(set)
    }
    return found
  }

  async findNear(
    columns: Columns,
    word: string,
    { asPrefix, maxEdits }: { asPrefix: boolean; maxEdits: number },
    budget: TypoBudget,
  ): Promise<FactFits> {
    const fits = new Map<ValueWords, ValueFits>()
    for (const words of [this.developers, this.tags, this.engines, this.languages, this.closed]) {
      fits.set(words, await words.findNear(word, asPrefix, maxEdits, budget))
    }
    return this.collect(columns, (words) => fits.get(words) ?? words.find(word, asPrefix))
  }

  private collect(columns: Columns, fitsOf: (words: ValueWords) => ValueFits): FactFits {
    const [developers, tags, engines, languages, closed] = [
      fitsOf(this.developers),
      fitsOf(this.tags),
      fitsOf(this.engines),
      fitsOf(this.languages),
      fitsOf(this.closed),
    ]
    const setsOf = (fit: keyof ValueFits): Bitset => {
      if ([tags, engines, languages, closed].every((fits) => fits[fit].length === 0)) return new Bitset()
      const found = columns.alive.blank()
      columns.tags.findAny(tags[fit], found)
      columns.engines.findAny(engines[fit], found)
      columns.languages.findAny(languages[fit], found)
      for (const key of closed[fit]) {
        const known = KNOWN_VALUES[Number(key)]
        const set = known && columns.closed.setsOf(known.field)?.get(known.value)
        if (set) found.or(set)
      }
      return found
    }
    const ofDeveloper = (fit: keyof ValueFits) =>
      developers[fit].length === 0
        ? new Bitset()
        : columns.developers.findAny(developers[fit], columns.alive.blank())
    return { developer: mapFits(developers, ofDeveloper), facts: mapFits(developers, setsOf) }
  }
}

/** The documents by how well the word fits. */
export type FitBits = Record<keyof ValueFits, Bitset>

export interface FactFits {
  developer: FitBits
  facts: FitBits
}

function mapFits(fits: ValueFits, toBits: (fit: keyof ValueFits) => Bitset): FitBits {
  return Object.fromEntries(Object.keys(fits).map((fit) => [fit, toBits(fit as keyof ValueFits)])) as FitBits
}
