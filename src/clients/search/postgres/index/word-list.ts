import { BACKGROUND_MS, isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'

/** Sorted words with their ids. */
interface SortedWords {
  words: readonly string[]
  ids: Uint32Array
}

const WORDS_PER_CHECK = 1024
const AFTER_ALL = '\uffff'

/** An immutable sorted list. */
export class WordList implements SortedWords {
  constructor(
    readonly words: readonly string[],
    readonly ids: Uint32Array,
    /** The length of the prefix that each word shares with the previous one. */
    readonly common: Uint8Array,
  ) {}

  get size(): number {
    return this.words.length
  }

  idOf(word: string): number | undefined {
    const index = this.lowerBound(word)
    return this.words[index] === word ? this.ids[index] : undefined
  }

  forEachStartingWith(prefix: string, visit: (id: number, word: string) => void): void {
    const end = this.lowerBound(prefix + AFTER_ALL)
    for (let index = this.lowerBound(prefix); index < end; index += 1) {
      visit(this.ids[index] ?? 0, this.words[index] ?? '')
    }
  }

  private lowerBound(word: string): number {
    let [low, high] = [0, this.words.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.words[middle] ?? '') < word) low = middle + 1
      else high = middle
    }
    return low
  }
}

export const EMPTY_LIST = new WordList([], new Uint32Array(0), new Uint8Array(0))

export function sortWords(entries: (readonly [id: number, word: string])[]): SortedWords {
  const isSorted = entries.every(([, word], index) => index === 0 || (entries[index - 1]?.[1] ?? '') < word)
  if (!isSorted) entries.sort(([, left], [, right]) => (left < right ? -1 : 1))
  return { words: entries.map(([, word]) => word), ids: Uint32Array.from(entries, ([id]) => id) }
}

/** Merges both lists and drops entries that are not live. For a word in both, the newer id is used. */
export async function mergeWords(
  older: SortedWords,
  newer: SortedWords,
  isLive: (id: number, word: string) => boolean,
): Promise<WordList> {
  const most = older.words.length + newer.words.length
  const [words, ids, common] = [[] as string[], new Uint32Array(most), new Uint8Array(most)]
  let [left, right, before] = [0, 0, '']
  while (left < older.words.length || right < newer.words.length) {
    if ((left + right) % WORDS_PER_CHECK === 0 && isSliceOver(BACKGROUND_MS)) await nextSlice()
    const [old, fresh] = [older.words[left], newer.words[right]]
    const takesOld = fresh === undefined || (old !== undefined && old < fresh)
    const id = (takesOld ? older.ids[left] : newer.ids[right]) ?? 0
    const word = (takesOld ? old : fresh) ?? ''
    if (takesOld || old === word) left += 1
    if (!takesOld) right += 1
    if (!isLive(id, word)) continue
    ids[words.length] = id
    common[words.length] = commonLength(before, word)
    words.push(word)
    before = word
  }
  return new WordList(words, ids.slice(0, words.length), common.slice(0, words.length))
}

function commonLength(left: string, right: string): number {
  const end = Math.min(left.length, right.length)
  let length = 0
  while (length < end && left.charCodeAt(length) === right.charCodeAt(length)) length += 1
  return length
}
