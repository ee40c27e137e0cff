import type { Find, FindTerm, SearchFilter } from '../../../clients/search/search-engine.ts'
import {
  isFoundByItself,
  KNOWN_VALUES,
  NAMED_FACETS,
  type NamedField,
  PHRASE_WORDS_MAX,
  type SameWords,
  wordsOfValue,
} from '../../../domain/listings/everyday-words.ts'
import { type Facet, FILTERS, labelOfValue, mostOfPriceBands } from '../../../domain/listings/facets.ts'
import { otherNumbersOf } from '../../../lib/text/plurals.ts'
import {
  isUnspacedWord,
  QUERY_CHARACTERS_MAX,
  QUERY_WORDS_MAX,
  wordsOf,
} from '../../../lib/text/search-words.ts'
import type { UnderstoodWord } from './model.ts'

/** What the words of a search are compared with, beside the closed values of the taxonomy. */
export interface KnownWords {
  sameWords: SameWords
  /** Whether any listing has it. */
  isTag(slug: string): boolean
  isEngine(slug: string): boolean
  /** The languages of listings that have this name. */
  languagesNamed(words: readonly string[]): readonly string[]
  /** Whether it is a word of a developer's name. */
  isOfDeveloper(word: string): boolean
}

export interface FoundWords {
  find: Find
  /** What the listings may not have, and what they may cost. */
  filters: readonly SearchFilter[]
  understood: UnderstoodWord[]
}

interface Piece {
  words: readonly string[]
  kind: 'plain' | 'exact' | 'excluded'
  /** Whether some of the words are of a script without spaces. */
  isUnspaced: boolean
}

/** Before a value they leave it out. */
export const NEGATIONS: ReadonlySet<string> = new Set(['no', 'non', 'not', 'without'])
/** Before a value they say nothing more, so that listings need not have them: `runs on linux`. */
export const BEFORE_VALUES: ReadonlySet<string> = new Set(
  'a best for full good great has in made new on play playable plays popular run runs supports the top using with work works'.split(
    ' ',
  ),
)
/** The same after a value: `gamepad support`, `japanese language`. */
const AFTER_VALUES: ReadonlySet<string> = new Set(['language', 'support', 'supported', 'version'])
/** The same before the name of a developer. */
const BEFORE_DEVELOPERS = new Set(['by', 'from'])
/** Facets whose values can be excluded, beside those that can be named. */
const ALSO_EXCLUDED = ['content_warnings', 'ai_uses'] as const
type ValueField = NamedField | (typeof ALSO_EXCLUDED)[number]

interface Value {
  field: ValueField
  value: string
}

const EXCLUDED_FACETS: readonly Facet[] = [...NAMED_FACETS, ...ALSO_EXCLUDED]

/** `steam deck` is a value of `platforms`, which is no facet; the nearest one is its system. */
function facetOf({ field, value }: Value): [Facet, string] {
  return field === 'platforms' ? ['os', value.split('|')[0] ?? ''] : [field, value]
}

/** The closed values that a phrase names, by its words joined with spaces. */
const NAMED = new Map<string, Value[]>()
const ALL_VALUES: readonly Value[] = [
  ...KNOWN_VALUES,
  ...ALSO_EXCLUDED.flatMap((field) => (FILTERS[field].values ?? []).map((value) => ({ field, value }))),
]
for (const { field, value } of ALL_VALUES) {
  const words = isFoundByItself(field) ? wordsOf(value) : []
  // A word of a longer name is none: `tower` is no genre.
  const parts = new Set(words.length > 1 ? words.flatMap((word) => [word, ...otherNumbersOf(word)]) : [])
  const written = words.length > 0 ? [words.join(' ')] : []
  const names = new Set([...written, ...wordsOfValue(field, value).filter((word) => !parts.has(word))])
  for (const name of names) NAMED.set(name, [...(NAMED.get(name) ?? []), { field, value }])
}

/** A name of a value that is so short is complete: `mac` is no beginning of `machine`. */
const WHOLE_NAME_MAX = 3

/** Reads what a person typed. Every word is used, whatever it is. */
export function parseFind(text: string, known: KnownWords): FoundWords {
  const terms: FindTerm[] = []
  const without: (readonly string[])[] = []
  const filters: SearchFilter[] = []
  const understood: UnderstoodWord[] = []
  const exclude = (words: readonly string[]) => {
    const values = valuesOf(words, known)
    const slugs = sayings(words, known).map((saying) => saying.join('-'))
    const ofFacets = [...Map.groupBy(values, ({ field }) => field)].map(([field, own]): SearchFilter => {
      return { kind: 'has', field, values: own.map(({ value }) => value) }
    })
    const languages = known.languagesNamed(words)
    if (languages.length > 0) ofFacets.push({ kind: 'has', field: 'languages', values: languages })
    const ofWords = (['tags', 'engines', 'developer'] as const).map((field): SearchFilter => {
      return { kind: 'has', field, values: slugs }
    })
    filters.push({ kind: 'not', of: { kind: 'any', of: [...ofFacets, ...ofWords] } })
    const named = name(words, known, true)
    understood.push(...named)
    if (named.length === 0) without.push(words)
  }

  const pieces = readPieces(text)
  for (const [index, { words, kind }] of pieces.entries()) {
    if (kind === 'exact') terms.push({ kind, alternatives: [words] })
    else if (kind === 'excluded') exclude(words)
    else {
      const isLast = index === pieces.length - 1
      readPlain(words, known, isLast, { terms, filters, understood, exclude })
    }
  }
  return { find: { terms: unique(terms), without }, filters, understood: uniqueWords(understood) }
}

/** The words of a search as they are counted: in order, without signs. */
export function plainWordsOf(text: string): string {
  return readPieces(text)
    .flatMap(({ words, kind }) => (kind === 'excluded' ? [] : words))
    .join(' ')
}

/** What was typed, with other words in place of some. */
export function replaceWords(text: string, others: ReadonlyMap<string, string>): string {
  return text
    .split(/(\s+)/)
    .map((token) => {
      const words = wordsOf(token)
      return words.some((word) => others.has(word))
        ? words.map((word) => others.get(word) ?? word).join(' ')
        : token
    })
    .join('')
}

const PIECES = /(-?)"([^"]*)"|(\S+)/g
const PAGES_OF_LISTINGS = 'games'

/** Of a pasted address the part that names a listing or a developer; other texts as they are. */
function nameInAddress(text: string): string {
  const address = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (address === null) return text
  const parts = address.pathname.split('/').filter((part) => part !== '')
  const at = parts.indexOf(PAGES_OF_LISTINGS)
  return (at === -1 ? parts.at(-1) : parts[at + 1]) ?? text
}

/** The parts in quotes, those with a minus before them, and between these what is neither; unspaced texts stand alone. */
function readPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let room = QUERY_WORDS_MAX
  const add = (kind: Piece['kind'], part: string) => {
    const words = wordsOf(part).slice(0, room)
    room -= words.length
    const last = pieces.at(-1)
    if (words.length === 0) return
    const isUnspaced = words.some(isUnspacedWord)
    if (kind === 'plain' && last?.kind === 'plain' && !isUnspaced && !last.isUnspaced)
      last.words = [...last.words, ...words]
    else pieces.push({ kind, words, isUnspaced })
  }
  const plain = text.slice(0, QUERY_CHARACTERS_MAX).replace(/[“”„«»]/g, '"')
  for (const [, minus, quoted, word = ''] of plain.matchAll(PIECES)) {
    if (quoted !== undefined) add(minus === '-' ? 'excluded' : 'exact', quoted)
    else if (/^-[^-]/.test(word)) add('excluded', word)
    else add('plain', nameInAddress(word))
  }
  return pieces
}

interface Collected {
  terms: FindTerm[]
  filters: SearchFilter[]
  understood: UnderstoodWord[]
  exclude(words: readonly string[]): void
}

/** Words without signs: `no horror` excludes, phrases with other names are one term, all others stand for themselves. */
function readPlain(
  words: readonly string[],
  known: KnownWords,
  isLast: boolean,
  { terms, filters, understood, exclude }: Collected,
): void {
  let understoodUntil = 0
  for (let at = 0; at < words.length;) {
    const unwanted = NEGATIONS.has(words[at] ?? '')
      ? longest(words, at + 1, (phrase) => isValue(phrase, known))
      : 0
    if (unwanted > 0) {
      exclude(words.slice(at + 1, at + 1 + unwanted))
      at += 1 + unwanted
      understoodUntil = at
      continue
    }
    const limit = readPriceLimit(words.slice(at))
    if (limit) {
      filters.push({ kind: 'price', most: limit.cents })
      understood.push(...nameBands(words.slice(at, at + limit.length), limit.cents))
      at += limit.length
      understoodUntil = at
      continue
    }
    const word = words[at] ?? ''
    const isEmpty = saysNothing(words, at, known)
    if (at >= understoodUntil && !(isEmpty && AFTER_VALUES.has(word))) {
      const named = longest(words, at, (phrase) => name(phrase, known, false).length > 0)
      understood.push(...name(words.slice(at, at + named), known, false))
      understoodUntil = at + named
    }
    const same = longest(words, at, (phrase) => known.sameWords.has(phrase.join(' ')))
    if (same > 0) {
      const typed = words.slice(at, at + same)
      const others = sayings(typed, known).filter((saying) => saying.join(' ') !== typed.join(' '))
      const alternatives = [typed, ...others]
      terms.push({ kind: 'same', alternatives })
      at += same
      continue
    }
    const run = words.slice(at).findIndex((word) => !isUnspacedWord(word))
    const unspaced = run === -1 ? words.length - at : run
    if (unspaced > 1) {
      terms.push({ kind: 'same', alternatives: [words.slice(at, at + unspaced)] })
      at += unspaced
      continue
    }
    if (isEmpty) {
      at += 1
      continue
    }
    const isWhole = word.length <= WHOLE_NAME_MAX && NAMED.has(word)
    const isEnd = isLast && at === words.length - 1
    terms.push({ kind: isEnd && !isWhole ? 'beginning' : 'word', alternatives: [[word]] })
    at += 1
  }
}

/** Whether the word only leads to the next ones, or ends what the ones before it say. */
function saysNothing(words: readonly string[], at: number, known: KnownWords): boolean {
  const [word = '', next = ''] = words.slice(at)
  if (BEFORE_DEVELOPERS.has(word)) return known.isOfDeveloper(next)
  const isNamed = (phrase: readonly string[]) =>
    name(phrase, known, false).some(({ facet }) => facet !== 'tags')
  if (AFTER_VALUES.has(word)) return longestUntil(words, at, isNamed) > 0
  const following = words.slice(at).findIndex((one) => !BEFORE_VALUES.has(one))
  if (following <= 0) return false
  return NEGATIONS.has(words[at + following] ?? '')
    ? longest(words, at + following + 1, (phrase) => isValue(phrase, known)) > 0
    : longest(words, at + following, isNamed) > 0
}

const LIMITS = /^(?:under(?= ?\d)|below|max|(?:less|cheaper) than|up to|at most) ?/
const AMOUNT = /^(\d{1,4})(?: (\d\d))?(?: (?:dollars?|usd|bucks|euros?|eur))?(?= |$)/
/** What else a number counts: `under 20 minutes` is no price. */
const OTHER_UNIT = /^ (?:minutes?|mins?|hours?|h|days?|years?|players?|people|mb|gb)(?= |$)/

/** `under 10 dollars` at the beginning: the most that listings may cost, and how many words say so. */
function readPriceLimit(words: readonly string[]): { cents: number; length: number } | null {
  const text = words.join(' ')
  const [limit = ''] = LIMITS.exec(text) ?? []
  const [amount = '', dollars, cents = '0'] =
    limit === '' ? [] : (AMOUNT.exec(text.slice(limit.length)) ?? [])
  const said = limit + amount
  if (dollars === undefined || OTHER_UNIT.test(text.slice(said.length))) return null
  return { cents: Number(dollars) * 100 + Number(cents), length: said.split(' ').length }
}

/** The price bands that are wholly within a limit. */
function nameBands(words: readonly string[], cents: number): UnderstoodWord[] {
  const bands = mostOfPriceBands().flatMap(([band, most]) => (most <= cents ? [band] : []))
  return bands.map((value) => toUnderstood(words.join(' '), 'price', value, false))
}

/** How many words from here on are the longest such phrase; 0 if there is none. */
function longest(
  words: readonly string[],
  from: number,
  isOne: (phrase: readonly string[]) => boolean,
): number {
  for (let count = Math.min(PHRASE_WORDS_MAX, words.length - from); count > 0; count -= 1) {
    if (isOne(words.slice(from, from + count))) return count
  }
  return 0
}

/** The same for the words before this one. */
function longestUntil(
  words: readonly string[],
  until: number,
  isOne: (phrase: readonly string[]) => boolean,
): number {
  for (let count = Math.min(PHRASE_WORDS_MAX, until); count > 0; count -= 1) {
    if (isOne(words.slice(until - count, until))) return count
  }
  return 0
}

/** The phrase and what else means the same. */
function sayings(words: readonly string[], { sameWords }: KnownWords): readonly (readonly string[])[] {
  return sameWords.get(words.join(' ')) ?? [words]
}

function valuesOf(words: readonly string[], known: KnownWords): Value[] {
  const found = sayings(words, known).flatMap((saying) => NAMED.get(saying.join(' ')) ?? [])
  return [...new Map(found.map((one) => [`${one.field} ${one.value}`, one])).values()]
}

function isValue(words: readonly string[], known: KnownWords): boolean {
  return name(words, known, true).length > 0
}

/** The values that a phrase is, of every facet in their order. */
function name(words: readonly string[], known: KnownWords, excludes: boolean): UnderstoodWord[] {
  if (words.length === 0) return []
  const word = words.join(' ')
  const closed = valuesOf(words, known).map(facetOf)
  const slugs = sayings(words, known).map((saying) => saying.join('-'))
  const open = [
    ...slugs.filter((slug) => known.isEngine(slug)).map((slug): [Facet, string] => ['engines', slug]),
    ...slugs.filter((slug) => known.isTag(slug)).map((slug): [Facet, string] => ['tags', slug]),
    ...known.languagesNamed(words).map((tag): [Facet, string] => ['languages', tag]),
  ]
  const facets = excludes ? EXCLUDED_FACETS : NAMED_FACETS
  return [...closed, ...open]
    .filter(([facet]) => facets.some((one) => one === facet))
    .map(([facet, value]) => toUnderstood(word, facet, value, excludes))
}

function toUnderstood(word: string, facet: Facet, value: string, excludes: boolean): UnderstoodWord {
  return { word, facet, value, label: labelOfValue(FILTERS[facet], value), excludes }
}

function unique(terms: readonly FindTerm[]): FindTerm[] {
  const last = terms.at(-1)
  const known = new Map(terms.slice(0, -1).map((term) => [JSON.stringify(term), term]))
  if (last) known.delete(JSON.stringify(last))
  return last ? [...known.values(), last] : []
}

function uniqueWords(words: readonly UnderstoodWord[]): UnderstoodWord[] {
  return [
    ...new Map(words.map((one) => [[one.word, one.facet, one.value, one.excludes].join(' '), one])).values(),
  ]
}
