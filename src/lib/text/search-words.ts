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

/** Whether it has only ASCII characters, so that its words are runs of letters and digits. */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text)
}

/** The words of a query; the last one may be incomplete. */
export function queryWordsOf(text: string): string[] {
  const words = wordsOf(text.slice(0, QUERY_CHARACTERS_MAX)).slice(0, QUERY_WORDS_MAX)
  const last = words.pop()
  return last === undefined ? [] : [...new Set(words), last]
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßæœøłđðþħı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
