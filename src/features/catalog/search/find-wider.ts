import type { Find, FindTerm } from '../../../clients/search/search-engine.ts'
import { isTypeName } from '../../../domain/listings/everyday-words.ts'
import { otherNumbersOf } from '../../../lib/text/plurals.ts'
import { BEFORE_VALUES } from './find-words.ts'

/** Words that people put between others, and that few listings have. */
const FILLERS = new Set('about an and any by from is like my of or similar some that to where'.split(' '))
/** Whether people put the word between others, and mean nothing by it alone. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || BEFORE_VALUES.has(word)
}

/** Shorter parts are words by chance. */
const PART_MIN = 3

/** Whether any listing has the word, or one that begins with it. */
type IsKnown = (word: string, asPrefix: boolean) => boolean

/**
 * A wider search, for one that found nothing: without filler words, and with unknown words as singular or plural, written apart
 * (`crumbquest`) or as one (`gear heart`). Null if that is the same.
 */
export function widen({ terms, without }: Find, isKnown: IsKnown): Find | null {
  const kept = terms.filter(({ kind, alternatives: [words = []] }) => {
    return kind === 'exact' || !words.every(isFiller)
  })
  const widened = joinTerms(kept, isKnown).flatMap((term) => splitTerm(term, isKnown))
  const isSame = widened.length === terms.length && widened.every((term, at) => term === terms[at])
  return widened.length === 0 || isSame ? null : { terms: widened, without }
}

/**
 * The search with short words as a name writes them that has all of them, apart from those that name a type of listings. Null if
 * there is no such name.
 */
export async function correct(
  { terms, without }: Find,
  findNearName: (words: readonly string[]) => Promise<readonly string[] | null>,
): Promise<Find | null> {
  const words = terms.map(wordOf)
  const named = words.flatMap((word) => (word === null || isTypeName(word) ? [] : word))
  const written = named.length > 1 ? await findNearName(named) : null
  if (written === null) return null
  const others = new Map(named.map((word, at) => [word, written[at] ?? word]))
  return {
    terms: terms.map((term, at) => {
      const other = others.get(words[at] ?? '')
      return other === undefined || other === words[at] ? term : { kind: 'word', alternatives: [[other]] }
    }),
    without,
  }
}

/** The single word of a term that was typed without quotes; null for others. */
function wordOf(term: FindTerm | undefined): string | null {
  const isWord = term?.kind === 'word' || term?.kind === 'beginning'
  return (isWord && term.alternatives[0]?.[0]) || null
}

function joinTerms(terms: readonly FindTerm[], isKnown: IsKnown): FindTerm[] {
  const joined: FindTerm[] = []
  for (const term of terms) {
    const [left, right] = [wordOf(joined.at(-1)), wordOf(term)]
    const asPrefix = term.kind === 'beginning'
    const isOne = left !== null && right !== null && isKnown(left + right, asPrefix)
    if (isOne) joined.splice(-1, 1, { kind: term.kind, alternatives: [[left + right]] })
    else joined.push(term)
  }
  return joined
}

function splitTerm(term: FindTerm, isKnown: IsKnown): FindTerm[] {
  const [only = [], ...others] = term.alternatives
  if (term.kind === 'same' && others.length === 0)
    return only.map((word) => ({ kind: 'word', alternatives: [[word]] }))
  const word = wordOf(term)
  const asPrefix = term.kind === 'beginning'
  if (word === null || isKnown(word, asPrefix)) return [term]
  const other = otherNumbersOf(word).find((one) => isKnown(one, false))
  if (other !== undefined) return [{ kind: 'word', alternatives: [[other]] }]
  const cuts = Array.from({ length: Math.max(0, word.length - 2 * PART_MIN + 1) }, (_, at) => at + PART_MIN)
  const cut = cuts.find((at) => isKnown(word.slice(0, at), false) && isKnown(word.slice(at), asPrefix))
  if (cut === undefined) return [term]
  return [
    { kind: 'word', alternatives: [[word.slice(0, cut)]] },
    { kind: term.kind, alternatives: [[word.slice(cut)]] },
  ]
}
