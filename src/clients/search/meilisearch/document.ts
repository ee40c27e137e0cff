import { parseVersion } from '../../../domain/listings/engine-range.ts'
import {
  isTypeName,
  NAMED_FIELDS,
  type NamedField,
  wordsOfDeveloper,
  wordsOfValue,
} from '../../../domain/listings/everyday-words.ts'
import type { CompatRange, SearchDocument } from '../../../domain/listings/search-document.ts'
import { wordsOf } from '../../../lib/text/search-words.ts'

/** A version has four parts of up to six digits, too many for one exact number, so it is stored as two. */
export interface VersionPair {
  high: number
  low: number
}

const PART = 1_000_000

/** Missing parts are replaced by `filling`; null when the version has no number. */
export function toVersionPair(version: string, filling: number): VersionPair | null {
  const numbers = parseVersion(version)
  if (!numbers) return null
  const [major = filling, minor = filling, patch = filling, fourth = filling] = numbers
  return { high: major * PART + minor, low: patch * PART + fourth }
}

/** A maximum such as 4.2 includes every 4.2.x, so its missing parts are set to the highest value. */
function toSlot({ engine, renderer, min_version, max_version }: CompatRange) {
  return { engine, renderer, min: toVersionPair(min_version, 0), max: toVersionPair(max_version, PART - 1) }
}

export type MeilisearchDocument = Omit<
  SearchDocument,
  'compat' | 'package' | 'developer_name' | 'post_titles'
> & {
  /** The words of the developer's names, and those that tags and other values are found by. */
  developer_words: string
  fact_words: string
  /** Those of values that stand in the tagline, too. */
  told_words: string
  /** What counts least: titles of posts, and names of developers that have words for a type of listings. */
  post_words: string
  /** An object with numbered keys: filters on a list would mix fields of different ranges. */
  ranges: Record<string, ReturnType<typeof toSlot>>
}

/** Each value apart from the next, so that words of two are no phrase. */
const BETWEEN_VALUES = '. '

function listFactWords(document: Pick<SearchDocument, NamedField>): string[] {
  return NAMED_FIELDS.map((field) =>
    [document[field] ?? []]
      .flat()
      .map((value) => wordsOfValue(field, value).join(' '))
      .filter((words) => words !== '')
      .join(BETWEEN_VALUES),
  ).filter((words) => words !== '')
}

/** Sends the same normalised words that the Postgres engine indexes, so that both match alike. */
export function toMeilisearchDocument({
  compat,
  package: _,
  developer_name: developerName,
  post_titles: titles,
  ...document
}: SearchDocument): MeilisearchDocument {
  const developers = [document.developer, developerName ?? '']
  const typed = developers.filter((name) => wordsOf(name).some(isTypeName))
  const facts = listFactWords(document).join(BETWEEN_VALUES)
  const factWords = new Set(wordsOf(facts))
  return {
    ...document,
    name: wordsOf(document.name).join(' '),
    tagline: wordsOf(document.tagline).join(' '),
    description: wordsOf(document.description).join(' '),
    developer_words: developers
      .flatMap(wordsOfDeveloper)
      .filter((word) => !isTypeName(word))
      .join(' '),
    fact_words: facts,
    told_words: [
      ...new Set(wordsOf(document.tagline).filter((word) => factWords.has(word) && !isTypeName(word))),
    ].join(BETWEEN_VALUES),
    post_words: [...titles, ...typed].map((text) => wordsOf(text).join(' ')).join(BETWEEN_VALUES),
    ranges: Object.fromEntries(compat.map((range, slot) => [slot, toSlot(range)])),
  }
}
