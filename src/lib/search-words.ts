/** Longer words are cut, on both sides alike. */
export const WORD_MAX = 40
/** A pasted page must not keep a search busy: what follows is ignored. */
export const QUERY_WORDS_MAX = 16
export const QUERY_CHARACTERS_MAX = 1000

const PLAIN = /^[\x20-\x7e\s]*$/
const PLAIN_WORD = /[a-z0-9]+/g
/** Scripts without spaces between words: each character counts as one. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`
const WORD = new RegExp(String.raw`[${UNSPACED}]|(?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}])+`, 'gu')

/** Letters that are no plain letter with an accent, but are typed as one. */
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

/** The words of a text as they are kept and searched, in their order: lower case, accents dropped. */
export function wordsOf(text: string): string[] {
  const words = PLAIN.test(text) ? text.toLowerCase().match(PLAIN_WORD) : fold(text).match(WORD)
  return (words ?? []).map((word) => (word.length > WORD_MAX ? word.slice(0, WORD_MAX) : word))
}

/** The words a searched text asks for; the last one may still be incomplete. */
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
