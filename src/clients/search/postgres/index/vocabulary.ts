import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { wordsOf } from '../../../../lib/text/search-words.ts'
import { findNear, type NearWord, type TypoBudget } from './near-words.ts'
import { EMPTY_LIST, mergeWords, sortWords, type WordList } from './word-list.ts'

/** Prefixes up to this length match so many words that they have posting lists of their own. */
export const SHORT_PREFIX_MAX = 3
const PREFIX_MARK = '*'
/**
 * Begins the terms of posts' titles, which only what a person types is compared with. It is longer than any number of typos,
 * so that no other word is near one.
 */
const TITLE_MARK = '####'
/** Changes are held in a second list until they are this share of the main one, and then merged into it. */
const CHANGES_SHARE = 1 / 64
const CHANGES_MIN = 2000
const ENTRIES_PER_CHECK = 1024

/** The terms a document is listed under: its words and their short prefixes. */
export function termsOf(words: Iterable<string>): Set<string> {
  const terms = new Set<string>()
  for (const word of words) {
    terms.add(word)
    for (let length = 1; length <= Math.min(SHORT_PREFIX_MAX, word.length); length += 1) {
      terms.add(word.slice(0, length) + PREFIX_MARK)
    }
  }
  return terms
}

/** The terms of titles of posts. */
export function termsOfTitles(titles: readonly string[]): Set<string> {
  return new Set(Array.from(termsOf(titles.flatMap(wordsOf)), (term) => TITLE_MARK + term))
}

/** Every word of the index with its id. Takes about 20 MB for 300,000 words. */
export class Vocabulary {
  /** Words by id. An entry of the lists is valid only if it matches the word here. */
  private readonly words: (string | undefined)[] = []
  private main = EMPTY_LIST
  /** Words that are being merged into the main list. */
  private merging = EMPTY_LIST
  private recent = EMPTY_LIST
  /** The number of entries in the lists that are no longer valid. */
  private stale = 0
  private isMerging = false
  private readonly shortPrefixes = new Map<string, number>()

  /** The highest id plus one. */
  get size(): number {
    return this.words.length
  }

  /** Takes ids with their new words, or null for removed ones. Fastest if sorted by word. */
  async apply(changes: Iterable<readonly [id: number, word: string | null]>): Promise<void> {
    const added: [id: number, word: string][] = []
    let count = 0
    for (const [id, word] of changes) {
      count += 1
      if (count % ENTRIES_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      if (word !== null && this.words[id] === word) continue
      this.drop(id)
      this.words[id] = word ?? undefined
      if (word === null) continue
      if (word.endsWith(PREFIX_MARK)) this.shortPrefixes.set(word.slice(0, -1), id)
      else added.push([id, word])
    }
    this.recent = await mergeWords(this.recent, sortWords(added), this.isLive)
    const unmerged = this.recent.size + this.stale
    if (this.isMerging || unmerged <= Math.max(CHANGES_MIN, this.main.size * CHANGES_SHARE)) return
    const merged = this.merge()
    // The first words are waited for; later searches use all three lists meanwhile.
    if (this.main.size === 0) await merged
  }

  idOf(word: string): number | undefined {
    for (const list of this.lists) {
      const id = list.idOf(word)
      if (id !== undefined && this.words[id] === word) return id
    }
    return undefined
  }

  /** Empty for an unused id. */
  wordOf(id: number): string {
    return this.words[id] ?? ''
  }

  /** By id, the place of each word among all of them in order, from 1. */
  async listRanks(): Promise<Int32Array> {
    const older = await mergeWords(this.main, this.merging, this.isLive)
    const { ids, size } = await mergeWords(older, this.recent, this.isLive)
    const ranks = new Int32Array(this.size)
    for (let index = 0; index < size; index += 1) {
      if (index % ENTRIES_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      ranks[ids[index] ?? 0] = index + 1
    }
    return ranks
  }

  /** The id of the posting list for this short prefix. */
  idOfShortPrefix(prefix: string): number | undefined {
    return this.shortPrefixes.get(prefix)
  }

  /** The ids of the posting lists for the titles of posts that have the word. */
  idsInTitles(word: string, asPrefix: boolean): readonly number[] {
    const term = TITLE_MARK + word
    const id = this.idOf(term)
    if (!asPrefix) return id === undefined ? [] : [id]
    const short = word.length <= SHORT_PREFIX_MAX ? this.idOfShortPrefix(term) : undefined
    return short === undefined ? this.startingWith(term) : [short]
  }

  startingWith(prefix: string): number[] {
    const ids = new Set<number>()
    for (const list of this.lists) {
      list.forEachStartingWith(prefix, (id, word) => {
        if (this.isLive(id, word)) ids.add(id)
      })
    }
    return [...ids]
  }

  /** Words within the allowed typos, with the number of typos; null when the budget runs out. */
  async near(wanted: NearWord, budget: TypoBudget): Promise<Map<number, number> | null> {
    const found = new Map<number, number>()
    for (const list of this.lists) {
      const isDone = await findNear(list, wanted, budget, (id, word, edits) => {
        if (this.isLive(id, word)) found.set(id, edits)
      })
      if (!isDone) return null
    }
    return found
  }

  /** The same as `near` for words of titles of posts, without the number of typos. */
  async nearInTitles({ word, ...how }: NearWord, budget: TypoBudget): Promise<readonly number[]> {
    const found = await this.near({ word: TITLE_MARK + word, ...how }, budget)
    return [...(found?.keys() ?? [])]
  }

  private get lists(): readonly WordList[] {
    return [this.main, this.merging, this.recent]
  }

  private async merge(): Promise<void> {
    this.isMerging = true
    this.merging = this.recent
    this.recent = EMPTY_LIST
    this.stale = 0
    this.main = await mergeWords(this.main, this.merging, this.isLive)
    this.merging = EMPTY_LIST
    this.isMerging = false
  }

  private readonly isLive = (id: number, word: string): boolean => this.words[id] === word

  private drop(id: number): void {
    const word = this.words[id]
    if (word === undefined) return
    if (!word.endsWith(PREFIX_MARK)) this.stale += 1
    else if (this.shortPrefixes.get(word.slice(0, -1)) === id) this.shortPrefixes.delete(word.slice(0, -1))
  }
}
