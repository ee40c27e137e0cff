import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import { findNear, type NearWord, type TypoBudget } from './near-words.ts'
import { EMPTY_LIST, mergeWords, sortWords } from './word-list.ts'

/** So short a beginning stands for so many words that it has postings of its own. */
export const SHORT_PREFIX_MAX = 3
const PREFIX_MARK = '*'
/** So many changes are looked at beside the large list before it is built again. */
const CHANGES_MAX = 2000
const ENTRIES_PER_CHECK = 1024

/** What a document is listed under: its words, and the short beginnings of those. */
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

/** Every word of the index with its number. At 300,000 words about 20 MB. */
export class Vocabulary {
  /** By number. What the lists hold counts only where it is the same here. */
  private readonly words: (string | undefined)[] = []
  private main = EMPTY_LIST
  private recent = EMPTY_LIST
  /** Entries of the lists that do not count any more. */
  private stale = 0
  private readonly shortPrefixes = new Map<string, number>()

  /** One more than the highest number. */
  get size(): number {
    return this.words.length
  }

  /** Numbers with their new words, or null where they have none. Comes cheapest in the order of the words. */
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
    if (this.recent.size + this.stale <= CHANGES_MAX) return
    this.main = await mergeWords(this.main, this.recent, this.isLive)
    this.recent = EMPTY_LIST
    this.stale = 0
  }

  idOf(word: string): number | undefined {
    for (const list of [this.main, this.recent]) {
      const id = list.idOf(word)
      if (id !== undefined && this.words[id] === word) return id
    }
    return undefined
  }

  /** The number under which everything beginning with these few letters is listed. */
  idOfShortPrefix(prefix: string): number | undefined {
    return this.shortPrefixes.get(prefix)
  }

  startingWith(prefix: string): number[] {
    const ids = new Set<number>()
    for (const list of [this.main, this.recent]) {
      list.forEachStartingWith(prefix, (id, word) => {
        if (this.isLive(id, word)) ids.add(id)
      })
    }
    return [...ids]
  }

  /** Words with at most so many typos, or beginning so, with the number of typos; null when the budget is used up. */
  async near(wanted: NearWord, budget: TypoBudget): Promise<Map<number, number> | null> {
    const found = new Map<number, number>()
    for (const list of [this.main, this.recent]) {
      const isDone = await findNear(list, wanted, budget, (id, word, edits) => {
        if (this.isLive(id, word)) found.set(id, edits)
      })
      if (!isDone) return null
    }
    return found
  }

  private readonly isLive = (id: number, word: string): boolean => this.words[id] === word

  private drop(id: number): void {
    const word = this.words[id]
    if (word === undefined) return
    if (!word.endsWith(PREFIX_MARK)) this.stale += 1
    else if (this.shortPrefixes.get(word.slice(0, -1)) === id) this.shortPrefixes.delete(word.slice(0, -1))
  }
}
