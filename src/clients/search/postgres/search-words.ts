import { KNOWN_VALUES, type SameWords } from '../../../domain/listings/everyday-words.ts'
import { type Facet } from '../../../domain/listings/facets.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { queryWordsOf } from '../../../lib/text/search-words.ts'
import type { Bitset } from './index/bitset.ts'
import type { LiveIndex } from './index/live-index.ts'
import type { NumberedValues } from './index/numbered-values.ts'
import type { ValueWords } from './index/value-words.ts'
import { indexOf } from './query/find-match.ts'
import { findNearName } from './query/near-name.ts'
import { Top } from './query/top.ts'

const LISTINGS_MAX = 5
const DEVELOPERS_MAX = 3
const FACETS_MAX = 5
const TAGS_MAX = 5
/** Most people begin with the same few letters. */
const SUGGESTED_BYTES = 2 * 1024 ** 2
/** Five listings and a few values, estimated. */
const SUGGESTION_BYTES = 1024
/** Beyond so many values, less common ones are not counted. */
const COUNTED_MAX = 40
const NEAR_STEPS_MAX = 100_000
const NEAREST_MAX = 3
/** How many of the nearest words are compared by how common they are. */
const WEIGHED_MAX = 12

export interface Suggestions {
  uids: readonly string[]
  usernames: readonly string[]
  facets: readonly { facet: Facet; value: string; count: number }[]
  tags: readonly { tag: string; count: number }[]
}

export interface SuggestOptions {
  sameWords: SameWords
  /** Listings with one of these tags are left out. */
  hiddenTags: readonly string[]
}

/** What this process knows of the words of the store, whichever engine answers its searches. */
export interface SearchWords {
  /** Reads what changed; does nothing while the index is being loaded. */
  refresh(): Promise<void>
  /** Whether documents of an earlier version are among those that are loaded: they have no developer. */
  isOutdated(): boolean
  isTag(slug: string): boolean
  isEngine(slug: string): boolean
  /** The languages of listings that have this name. */
  languagesNamed(words: readonly string[]): readonly string[]
  /** Whether it is a word of a developer's name. */
  isOfDeveloper(word: string): boolean
  /** What begins with these words, among listings that are not adult. */
  suggest(text: string, options: SuggestOptions): Promise<Suggestions>
  /** Whether any listing has the word, or one that begins with it. */
  isKnown(word: string, asPrefix: boolean): boolean
  /** Words of the store that this one may be meant as, the likeliest first. */
  findNearest(word: string): Promise<string[]>
  /** The words with short ones as a name writes them that has all of them; null if there is no such name. */
  findNearName(words: readonly string[]): Promise<string[] | null>
}

export function createSearchWords(live: LiveIndex): SearchWords {
  const read = () => live.facts.read(live.columns, live.filterGeneration)
  const suggested = createCache<Suggestions>({
    maxBytes: SUGGESTED_BYTES,
    bytesOf: () => SUGGESTION_BYTES,
  })

  return {
    async refresh() {
      if (!live.isReady) return
      await live.refresh()
      await read()
    },
    isOutdated() {
      const { alive, developers } = live.columns
      return alive.toArray().some((id) => !developers.hasValues(id))
    },
    isTag: (slug) => live.columns.tags.numberOf(slug) !== undefined,
    isEngine: (slug) => live.columns.engines.numberOf(slug) !== undefined,
    languagesNamed: (words) => live.facts.languages.findPhrase(words),
    isOfDeveloper: (word) => live.facts.developers.find(word, false).exact.length > 0,
    async suggest(text, { sameWords, hiddenTags }) {
      const words = queryWordsOf(text)
      if (words.length === 0) return NOTHING
      await live.refresh()
      const sayings = [words, ...(sameWords.get(words.join(' ')) ?? [])]
      return await suggested.compute(live.generation, JSON.stringify([sayings, hiddenTags]), async () => {
        await read()
        const visible = findVisible(live, hiddenTags)
        const found = suggestFrom(live, sayings, visible)
        visible.release()
        return found
      })
    },
    isKnown(word, asPrefix) {
      const { tags, developers, engines, languages, closed } = live.facts
      return (
        live.vocabulary.idOf(word) !== undefined ||
        (asPrefix && live.vocabulary.startingWith(word).length > 0) ||
        live.vocabulary.idsInTitles(word, asPrefix).length > 0 ||
        [tags, developers, engines, languages, closed].some((values) => {
          const { exact, beginning } = values.find(word, asPrefix)
          return exact.length + beginning.length > 0
        })
      )
    },
    findNearest: (word) => findNearest(live, word),
    findNearName: (words) => findNearName(live, words),
  }
}

const NOTHING: Suggestions = { uids: [], usernames: [], facets: [], tags: [] }

function findVisible({ columns }: LiveIndex, hiddenTags: readonly string[]): Bitset {
  const hidden = columns.tags.findAny(hiddenTags, columns.alive.blank())
  const visible = columns.alive.copy().without(columns.adult).without(hidden)
  hidden.release()
  return visible
}

/** The first saying is what was typed, and may be incomplete. */
function suggestFrom(live: LiveIndex, sayings: readonly (readonly string[])[], visible: Bitset): Suggestions {
  const { columns, facts } = live
  const numbersIn = (words: ValueWords) => {
    const found = sayings.map((saying, index) => words.findAll(saying, index === 0))
    return found.reduce((left, right) => left.union(right))
  }
  const mostCommon = (column: NumberedValues, words: ValueWords, most: number) =>
    countMostCommon(column, words, { numbers: numbersIn(words), visible, most })
  const closed = Array.from(numbersIn(facts.closed)).flatMap((number) => {
    const known = KNOWN_VALUES[number]
    // A platform is no facet of its own.
    if (!known || known.field === 'platforms') return []
    const count = columns.closed.setsOf(known.field)?.get(known.value)?.countCommon(visible) ?? 0
    return count > 0 ? [{ facet: known.field, value: known.value, count }] : []
  })
  const open = (['engines', 'languages'] as const).flatMap((facet) =>
    mostCommon(columns[facet], facts[facet], FACETS_MAX).map(({ value, count }) => ({ facet, value, count })),
  )
  // A developer may be found by two names.
  const developers = mostCommon(columns.developers, facts.developers, 2 * DEVELOPERS_MAX)
  return {
    uids: suggestListings(live, sayings[0] ?? [], visible),
    usernames: toUsernames(live, developers),
    facets: [...closed, ...open].toSorted(compareCounts).slice(0, FACETS_MAX),
    tags: mostCommon(columns.tags, facts.tags, TAGS_MAX).map(({ value: tag, count }) => ({ tag, count })),
  }
}

interface CountedValue {
  value: string
  count: number
  /** One of the listings that have it. */
  listing: number
}

function compareCounts(
  a: Pick<CountedValue, 'value' | 'count'>,
  b: Pick<CountedValue, 'value' | 'count'>,
): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1)
}

/**
 * The values that most visible listings have. No value has more of them than listings in all, so counting ends where the rest
 * cannot be more common.
 */
function countMostCommon(
  column: NumberedValues,
  words: ValueWords,
  { numbers, visible, most }: { numbers: ReadonlySet<number>; visible: Bitset; most: number },
): CountedValue[] {
  const values = Array.from(numbers)
  const uses = Int32Array.from(values, (number) => column.usesOf(number))
  const top = new Top(COUNTED_MAX, [uses], (left, right) => left - right)
  for (let index = 0; index < values.length; index += 1) top.offer(index)
  let found: CountedValue[] = []
  for (const index of top.sorted()) {
    if ((uses[index] ?? 0) < (found[most - 1]?.count ?? 0)) break
    const value = words.valueOf(values[index] ?? -1)
    const having = column.findAny([value], visible.blank()).and(visible)
    const count = having.count()
    if (count > 0) found.push({ value, count, listing: having.first() })
    having.release()
    found = found.toSorted(compareCounts).slice(0, most)
  }
  return found
}

function toUsernames({ columns }: LiveIndex, values: readonly CountedValue[]): string[] {
  const found = new Map<string, CountedValue>()
  for (const { listing, count } of values) {
    const [username = ''] = columns.developers.valuesOf(listing)
    if (username !== '' && !found.has(username)) found.set(username, { value: username, count, listing })
  }
  return [...found.values()]
    .toSorted(compareCounts)
    .slice(0, DEVELOPERS_MAX)
    .map(({ value }) => value)
}

/** By name: those that begin with the words first, launch problems last, then the newest. */
function suggestListings(
  { columns, vocabulary }: LiveIndex,
  words: readonly string[],
  visible: Bitset,
): string[] {
  const wordIds = words.map((word, index) => {
    const id = vocabulary.idOf(word)
    return index === words.length - 1 ? vocabulary.startingWith(word) : id === undefined ? [] : [id]
  })
  const found = visible.copy()
  for (const ids of wordIds) {
    const named = columns.findNamed(ids, found)
    found.and(named)
    named.release()
  }
  const firstIds = new Set(wordIds[0])
  const typed = words.flatMap((word) => vocabulary.idOf(word) ?? [])
  const ids = found.toArray()
  found.release()
  const ranks = new Uint8Array(ids.length)
  const published = new Float64Array(ids.length)
  // A short beginning matches a large part of the store: loops without callbacks take a tenth of the time.
  for (let index = 0; index < ids.length; index += 1) {
    const id = ids[index] ?? 0
    const isWhole = typed.length === words.length && columns.name.lengthOf(id) === typed.length
    ranks[index] =
      (columns.troubled.has(id) ? 0 : 8) +
      (isWhole && indexOf(columns.name, id, typed) === 0 ? 4 : 0) +
      (firstIds.has(columns.name.at(id, 0)) ? 2 : 0)
    published[index] = columns.published[id] ?? 0
  }
  const top = new Top(LISTINGS_MAX, [ranks, published], (left, right) =>
    columns.uids.compare(ids[right] ?? 0, ids[left] ?? 0),
  )
  for (let index = 0; index < ids.length; index += 1) top.offer(index)
  return top.sorted().map((index) => columns.uids.of(ids[index] ?? 0))
}

/** Words of names, developers and values come before words of descriptions, then nearer and more common ones. */
async function findNearest({ columns, vocabulary, facts }: LiveIndex, word: string): Promise<string[]> {
  const maxEdits = word.length < 3 ? 0 : word.length < 6 ? 1 : word.length < 9 ? 2 : 3
  if (maxEdits === 0) return []
  const budget = { steps: NEAR_STEPS_MAX }
  const near = new Map<string, { edits: number; weight: number }>()
  const add = (found: string, edits: number, weight: number) => {
    // Far words that begin otherwise are rarely meant.
    if (edits > 1 && found[0] !== word[0]) return
    const known = near.get(found)
    near.set(found, { edits, weight: weight + (known?.weight ?? 0) })
  }
  for (const values of [facts.tags, facts.developers, facts.closed]) {
    for (const [found, edits] of await values.wordsNear(word, maxEdits, budget)) {
      add(found, edits, values.find(found, false).exact.length)
    }
  }
  const inTexts = await vocabulary.near({ word, maxEdits, asPrefix: false }, budget)
  const nearest = [...(inTexts ?? [])].toSorted(([, a], [, b]) => a - b).slice(0, WEIGHED_MAX)
  for (const [id, edits] of nearest) {
    const named = columns.findNamed([id], columns.alive)
    add(vocabulary.wordOf(id), edits, named.count())
    named.release()
  }
  return Array.from(near, ([found, rest]) => ({ found, ...rest }))
    .filter(({ found }) => found !== '')
    .toSorted(
      (a, b) =>
        Number(b.weight > 0) - Number(a.weight > 0) ||
        a.edits - b.edits ||
        b.weight - a.weight ||
        (a.found < b.found ? -1 : 1),
    )
    .slice(0, NEAREST_MAX)
    .map(({ found }) => found)
}
