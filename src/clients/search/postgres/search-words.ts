import { KNOWN_VALUES, type SameWords } from '../../../domain/listings/everyday-words.ts'
import { type Facet } from '../../../domain/listings/facets.ts'
import { queryWordsOf } from '../../../lib/text/search-words.ts'
import type { Bitset } from './index/bitset.ts'
import { NAME_MARK } from './index/developer-values.ts'
import type { LiveIndex } from './index/live-index.ts'
import type { NumberedValues } from './index/numbered-values.ts'
import type { ValueWords } from './index/value-words.ts'
import { indexOf } from './query/find-match.ts'
import { Top } from './query/top.ts'

const LISTINGS_MAX = 5
const DEVELOPERS_MAX = 3
const FACETS_MAX = 5
const TAGS_MAX = 5
/** Of so many values, the most common are counted exactly. */
const COUNTED_MAX = 40
const NEAR_STEPS_MAX = 100_000
const NEAREST_MAX = 3
/** How many of the nearest words are compared by how common they are. */
const WEIGHED_MAX = 12

export interface Suggestions {
  uids: readonly string[]
  developers: readonly { username: string; name: string | null }[]
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
  /** What begins with these words, among listings that are not adult. */
  suggest(text: string, options: SuggestOptions): Promise<Suggestions>
  /** Whether any listing has the word, or one that begins with it. */
  isKnown(word: string, asPrefix: boolean): boolean
  /** Words of the store that this one may be meant as, the likeliest first. */
  findNearest(word: string): Promise<string[]>
}

export function createSearchWords(live: LiveIndex): SearchWords {
  const read = () => live.facts.read(live.columns, live.filterGeneration)

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
    async suggest(text, { sameWords, hiddenTags }) {
      await live.refresh()
      await read()
      const words = queryWordsOf(text)
      const visible = findVisible(live, hiddenTags)
      const sayings = [words, ...(sameWords.get(words.join(' ')) ?? [])]
      const found = words.length === 0 ? NOTHING : suggestFrom(live, sayings, visible)
      visible.release()
      return found
    },
    isKnown(word, asPrefix) {
      const { tags, developers, engines, closed } = live.facts
      return (
        live.vocabulary.idOf(word) !== undefined ||
        (asPrefix && live.vocabulary.startingWith(word).length > 0) ||
        live.vocabulary.idsInTitles(word, asPrefix).length > 0 ||
        [tags, developers, engines, closed].some((values) => {
          const { exact, beginning } = values.find(word, asPrefix)
          return exact.length + beginning.length > 0
        })
      )
    },
    findNearest: (word) => findNearest(live, word),
  }
}

const NOTHING: Suggestions = { uids: [], developers: [], facets: [], tags: [] }

function findVisible({ columns }: LiveIndex, hiddenTags: readonly string[]): Bitset {
  const hidden = columns.tags.findAny(hiddenTags, columns.alive.blank())
  const visible = columns.alive.copy().without(columns.adult).without(hidden)
  hidden.release()
  return visible
}

/** The first saying is what was typed, and may be incomplete. */
function suggestFrom(live: LiveIndex, sayings: readonly (readonly string[])[], visible: Bitset): Suggestions {
  const { columns, facts } = live
  const valuesIn = (words: ValueWords) => [
    ...new Set(sayings.flatMap((saying, index) => findValues(words, saying, index === 0))),
  ]
  const mostCommon = (column: NumberedValues, values: readonly string[]) =>
    values
      .map((value) => ({ value, uses: column.usesOf(column.numberOf(value) ?? -1) }))
      .toSorted((a, b) => b.uses - a.uses)
      .slice(0, COUNTED_MAX)
      .map(({ value }) => ({ value, count: countVisible(column, value, visible) }))
      .filter(({ count }) => count > 0)
      .toSorted(compareCounts)
  const closed = valuesIn(facts.closed).flatMap((key) => {
    const known = KNOWN_VALUES[Number(key)]
    // A platform is no facet of its own.
    if (!known || known.field === 'platforms') return []
    const count = columns.closed.setsOf(known.field)?.get(known.value)?.countCommon(visible) ?? 0
    return count > 0 ? [{ facet: known.field, value: known.value, count }] : []
  })
  const engines = mostCommon(columns.engines, valuesIn(facts.engines)).map((one) => ({
    facet: 'engines' as const,
    ...one,
  }))
  return {
    uids: suggestListings(live, sayings[0] ?? [], visible),
    developers: suggestDevelopers(live, valuesIn(facts.developers), visible),
    facets: [...closed, ...engines].toSorted(compareCounts).slice(0, FACETS_MAX),
    tags: mostCommon(columns.tags, valuesIn(facts.tags))
      .slice(0, TAGS_MAX)
      .map(({ value: tag, count }) => ({ tag, count })),
  }
}

function compareCounts(a: { value: string; count: number }, b: { value: string; count: number }): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1)
}

function countVisible(column: NumberedValues, value: string, visible: Bitset): number {
  const found = column.findAny([value], visible.blank())
  const count = found.countCommon(visible)
  found.release()
  return count
}

/** The values with every word. */
function findValues(values: ValueWords, words: readonly string[], asPrefix: boolean): string[] {
  const found = words.map((word, index) => {
    const { exact, beginning } = values.find(word, asPrefix && index === words.length - 1)
    return [...exact, ...beginning]
  })
  const [first = [], ...others] = found
  const sets = others.map((list) => new Set(list))
  return first.filter((value) => sets.every((set) => set.has(value)))
}

function suggestDevelopers(
  { columns }: LiveIndex,
  values: readonly string[],
  visible: Bitset,
): Suggestions['developers'] {
  const { developers } = columns
  const found = new Map<string, { name: string | null; count: number }>()
  const byUse = values.toSorted(
    (a, b) =>
      developers.usesOf(developers.numberOf(b) ?? -1) - developers.usesOf(developers.numberOf(a) ?? -1),
  )
  for (const value of byUse.slice(0, COUNTED_MAX)) {
    const own = developers.findAny([value], visible.blank()).and(visible)
    const [first] = own.toArray()
    const [username = '', name] = first === undefined ? [] : developers.valuesOf(first)
    if (username !== '') {
      found.set(username, { name: name?.slice(NAME_MARK.length) ?? null, count: own.count() })
    }
    own.release()
  }
  return Array.from(found, ([username, { name, count }]) => ({ username, name, value: username, count }))
    .toSorted(compareCounts)
    .slice(0, DEVELOPERS_MAX)
    .map(({ username, name }) => ({ username, name }))
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
  const ranks = Uint8Array.from(ids, (id) => {
    const isWhole = typed.length === words.length && columns.name.lengthOf(id) === typed.length
    const begins = firstIds.has(columns.name.at(id, 0))
    return (
      (columns.troubled.has(id) ? 0 : 8) +
      (isWhole && indexOf(columns.name, id, typed) === 0 ? 4 : 0) +
      (begins ? 2 : 0)
    )
  })
  const published = Float64Array.from(ids, (id) => columns.published[id] ?? 0)
  const top = new Top(LISTINGS_MAX, [ranks, published], (left, right) =>
    columns.uids.compare(ids[right] ?? 0, ids[left] ?? 0),
  )
  for (let index = 0; index < ids.length; index += 1) top.offer(index)
  return top.sorted().map((index) => columns.uids.of(ids[index] ?? 0))
}

/** Words of names, developers and values come before words of descriptions, then nearer and more common ones. */
async function findNearest({ columns, vocabulary, facts }: LiveIndex, word: string): Promise<string[]> {
  const maxEdits = word.length < 3 ? 0 : word.length < 5 ? 1 : word.length < 9 ? 2 : 3
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
