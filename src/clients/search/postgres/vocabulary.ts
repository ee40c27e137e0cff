import { findNear } from './near-words.ts'

/** So short a beginning stands for so many words that it has postings of its own. */
export const SHORT_PREFIX_MAX = 3
const PREFIX_MARK = '*'
/** New words are looked at one by one until they are so many. */
const UNSORTED_MAX = 2000
const AFTER_ALL = '\uffff'

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
  /** One more than the highest number. */
  size = 0
  private sorted: readonly string[] = []
  private sortedIds = new Uint32Array(0)
  private readonly unsorted = new Map<string, number>()
  private readonly shortPrefixes = new Map<string, number>()

  /** Comes cheapest in the order of the words. */
  add(entries: Iterable<readonly [id: number, word: string]>): void {
    for (const [id, word] of entries) {
      this.size = Math.max(this.size, id + 1)
      if (word.endsWith(PREFIX_MARK)) this.shortPrefixes.set(word.slice(0, -1), id)
      else this.unsorted.set(word, id)
    }
    if (this.unsorted.size > UNSORTED_MAX) this.merge()
  }

  idOf(word: string): number | undefined {
    const index = this.lowerBound(word)
    return this.sorted[index] === word ? this.sortedIds[index] : this.unsorted.get(word)
  }

  /** The number under which everything beginning with these few letters is listed. */
  idOfShortPrefix(prefix: string): number | undefined {
    return this.shortPrefixes.get(prefix)
  }

  startingWith(prefix: string): number[] {
    const ids = Array.from(
      this.sortedIds.subarray(this.lowerBound(prefix), this.lowerBound(prefix + AFTER_ALL)),
    )
    for (const [word, id] of this.unsorted) if (word.startsWith(prefix)) ids.push(id)
    return ids
  }

  /** Words with at most so many typos, or beginning so, with the number of typos. */
  near(word: string, maxEdits: number, asPrefix: boolean): Map<number, number> {
    const found = new Map<number, number>()
    findNear(this.sorted, word, maxEdits, asPrefix, (index, edits) => {
      found.set(this.sortedIds[index] ?? 0, edits)
    })
    const unsorted = [...this.unsorted].toSorted(([left], [right]) => (left < right ? -1 : 1))
    const texts = unsorted.map(([text]) => text)
    findNear(texts, word, maxEdits, asPrefix, (index, edits) => {
      found.set(unsorted[index]?.[1] ?? 0, edits)
    })
    return found
  }

  private merge(): void {
    const fresh = [...this.unsorted.keys()]
    if (!isSorted(fresh)) fresh.sort()
    const sorted: string[] = []
    const ids = new Uint32Array(this.sorted.length + fresh.length)
    let [old, added] = [0, 0]
    for (let index = 0; index < ids.length; index += 1) {
      const [known, word] = [this.sorted[old], fresh[added]]
      if (word === undefined || (known !== undefined && known < word)) {
        ids[index] = this.sortedIds[old] ?? 0
        sorted.push(known ?? '')
        old += 1
      } else {
        ids[index] = this.unsorted.get(word) ?? 0
        sorted.push(word)
        added += 1
      }
    }
    this.sorted = sorted
    this.sortedIds = ids
    this.unsorted.clear()
  }

  private lowerBound(word: string): number {
    let [low, high] = [0, this.sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.sorted[middle] ?? '') < word) low = middle + 1
      else high = middle
    }
    return low
  }
}

function isSorted(words: readonly string[]): boolean {
  return words.every((word, index) => index === 0 || (words[index - 1] ?? '') < word)
}
