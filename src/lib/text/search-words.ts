/** Longer words are cut, in the index and in queries. */
export const WORD_MAX = 40
/** Further words are ignored, so that a pasted page cannot keep a search busy. */
export const QUERY_WORDS_MAX = 16
export const QUERY_CHARACTERS_MAX = 1000

const PLAIN = /^[\x20-\x7e\s]*$/
const PLAIN_WORD = /[a-z0-9]+/g
/** Scripts without spaces between words: each character is a word. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`
const WORD = new RegExp(String.raw`[${UNSPACED}]|(?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}])+`, 'gu')

const UNSPACED_WORD = new RegExp(`^[${UNSPACED}]$`, 'u')

/** Letters that do not decompose into a plain letter and an accent, but are typed as one. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
}

/** The words of a text as they are indexed and searched, in order: lower case, accents dropped. */
export function wordsOf(text: string): string[] {
  const words = (isPlainText(text) ? text.toLowerCase().match(PLAIN_WORD) : fold(text).match(WORD)) ?? []
  for (const [index, word] of words.entries()) {
    if (word.length > WORD_MAX) words[index] = word.slice(0, WORD_MAX)
  }
  return words
}

/** Whether it is a character of a script without spaces. */
export function isUnspacedWord(word: string): boolean {
  return UNSPACED_WORD.test(word)
}

/** Whether it has only ASCII characters, so that its words are runs of letters and digits. */
function isPlainText(text: string): boolean {
  return PLAIN.test(text)
}

/** The words of a query; the last one may be incomplete. */
export function queryWordsOf(text: string): string[] {
  const words = wordsOf(text.slice(0, QUERY_CHARACTERS_MAX)).slice(0, QUERY_WORDS_MAX)
  const last = words.pop()
  return last === undefined ? [] : [...new Set(words), last]
}

/** Whether the words stand in the list one after the other. */
export function hasRun(list: readonly string[], words: readonly string[]): boolean {
  const last = list.length - words.length
  for (let start = 0; start <= last; start += 1) {
    if (words.every((word, at) => list[start + at] === word)) return true
  }
  return false
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßæœøłđðþħı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
}

const HASH_START = 0x811c9dc5
const HASH_FACTOR = 0x01000193
const EMPTY = -1

/**
 * Numbers words in the order they first appear. For large amounts of text: plain text is read without creating a
 * string for every word.
 */
export class WordNumbers {
  readonly words: string[] = []
  readonly #hashes: number[] = []
  /** A hash table with open addressing. Its size is a power of two. */
  #slots = new Int32Array(4096).fill(EMPTY)

  /** The numbers of `wordsOf(text)`, in order. */
  numbersOf(text: string): number[] {
    if (!isPlainText(text)) return wordsOf(text).map((word) => this.#find(word, 0, word.length, hashOf(word)))
    const lower = text.toLowerCase()
    const numbers: number[] = []
    let start = -1
    let hash = HASH_START
    for (let index = 0; index < lower.length; index += 1) {
      const code = lower.charCodeAt(index)
      if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) {
        if (start === -1) start = index
        if (index < start + WORD_MAX) hash = Math.imul(hash ^ code, HASH_FACTOR)
      } else if (start !== -1) {
        numbers.push(this.#find(lower, start, Math.min(index, start + WORD_MAX), hash))
        start = -1
        hash = HASH_START
      }
    }
    if (start !== -1) {
      numbers.push(this.#find(lower, start, Math.min(lower.length, start + WORD_MAX), hash))
    }
    return numbers
  }

  #find(text: string, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] ?? EMPTY
      if (number === EMPTY) return this.#add(text.slice(start, end), hash, slot)
      if (this.#hashes[number] === hash && isAt(text, start, end, this.words[number] ?? '')) return number
    }
  }

  #add(word: string, hash: number, slot: number): number {
    const number = this.words.push(word) - 1
    this.#hashes.push(hash)
    this.#slots[slot] = number
    if (this.words.length * 2 > this.#slots.length) this.#grow()
    return number
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(EMPTY)
    const mask = slots.length - 1
    for (const [number, hash] of this.#hashes.entries()) {
      let slot = hash & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = number
    }
    this.#slots = slots
  }
}

function isAt(text: string, start: number, end: number, word: string): boolean {
  if (word.length !== end - start) return false
  for (let index = 0; index < word.length; index += 1) {
    if (text.charCodeAt(start + index) !== word.charCodeAt(index)) return false
  }
  return true
}

function hashOf(word: string): number {
  let hash = HASH_START
  for (let index = 0; index < word.length; index += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(index), HASH_FACTOR)
  }
  return hash
}
