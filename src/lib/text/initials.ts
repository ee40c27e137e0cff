const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The first letters of the first and the last word; a name without letters has its first sign. */
export function initialsOf(name: string): string {
  const words = name.match(WORD) ?? [name.trim()]
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return chosen.map((word = '') => firstLetter(word).toLocaleUpperCase('en')).join('')
}

function firstLetter(word: string): string {
  for (const { segment } of segmenter.segment(word)) return segment
  return ''
}
