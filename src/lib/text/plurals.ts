const SHORTEST = 3
const HISSING = /(?:s|x|z|ch|sh)$/
/** Words that end in s and are no plurals. */
const SINGULAR_S = /(?:ss|us|is)$/
const CONSONANT_Y = /[^aeiou]y$/
const PLAIN = /^[a-z]+$/

/** The words that may be the plural of this one, or that it may be the plural of. Most are no words at all. */
export function otherNumbersOf(word: string): string[] {
  if (word.length < SHORTEST || !PLAIN.test(word)) return []
  return [...singularsOf(word), pluralOf(word)].filter((other) => other.length >= SHORTEST)
}

function singularsOf(word: string): string[] {
  if (!word.endsWith('s') || SINGULAR_S.test(word)) return []
  const without = word.slice(0, -1)
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`, without]
  const stem = word.slice(0, -2)
  return word.endsWith('es') && HISSING.test(stem) ? [stem, without] : [without]
}

function pluralOf(word: string): string {
  if (CONSONANT_Y.test(word)) return `${word.slice(0, -1)}ies`
  return HISSING.test(word) ? `${word}es` : `${word}s`
}
