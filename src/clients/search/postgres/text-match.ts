import { ONE_TYPO_FROM, TWO_TYPOS_FROM } from '../search-engine.ts'
import { Bitset } from './bitset.ts'
import { FIT } from './score.ts'
import { SHORT_PREFIX_MAX, type Vocabulary } from './vocabulary.ts'

/** Typos are forgiven where fewer than this many listings have the words as they were typed. */
const TYPOS_BELOW = 20

/** The documents that have any of these words. */
export type FindPostings = (key: string, wordIds: readonly number[]) => Promise<Bitset>

export interface Term {
  /** The words that are it or begin with it. */
  wordIds: readonly number[]
  /** Who has it as it was typed. */
  exact: Bitset
  /** How every word of the vocabulary fits. */
  fits: Uint8Array
}

export interface TextMatch {
  terms: readonly Term[]
  matches: Bitset
  /** Whether some match only with typos. */
  hasTypos: boolean
}

interface Asked {
  word: string
  /** The last word may be incomplete. */
  isLast: boolean
}

/** Who has every word; the last one may be the beginning of one. */
export async function matchText(
  words: readonly string[],
  vocabulary: Vocabulary,
  alive: Bitset,
  find: FindPostings,
): Promise<TextMatch> {
  const asked = words.map((word, index): Asked => ({ word, isLast: index === words.length - 1 }))
  const terms = await Promise.all(asked.map((one) => findExact(one, vocabulary, find)))
  const matches = intersect(
    terms.map((term) => term.exact),
    alive,
  )
  if (matches.count() >= TYPOS_BELOW) return { terms, matches, hasTypos: false }
  const loose = await Promise.all(
    asked.map(async (one, index) => {
      const term = terms[index]
      return term ? await loosen(one, term, vocabulary, find) : new Bitset()
    }),
  )
  return { terms, matches: intersect(loose, alive), hasTypos: true }
}

async function findExact({ word, isLast }: Asked, vocabulary: Vocabulary, find: FindPostings): Promise<Term> {
  const fits = new Uint8Array(vocabulary.size)
  const id = vocabulary.idOf(word)
  let ids = id === undefined ? [] : [id]
  let listed = ids
  if (isLast) {
    ids = vocabulary.startingWith(word)
    const short = word.length > SHORT_PREFIX_MAX ? undefined : vocabulary.idOfShortPrefix(word)
    listed = short === undefined ? ids : [short]
  }
  for (const found of ids) fits[found] = FIT.beginning
  if (id !== undefined) fits[id] = FIT.exact
  return { wordIds: ids, fits, exact: await find(isLast ? `${word}*` : word, listed) }
}

/** Adds who has it with typos. The term learns how those words fit. */
async function loosen(
  { word, isLast }: Asked,
  term: Term,
  vocabulary: Vocabulary,
  find: FindPostings,
): Promise<Bitset> {
  const maxEdits = word.length >= TWO_TYPOS_FROM ? 2 : word.length >= ONE_TYPO_FROM ? 1 : 0
  if (maxEdits === 0) return term.exact
  const ids: number[] = []
  for (const [id, edits] of vocabulary.near(word, maxEdits, isLast)) {
    if ((term.fits[id] ?? 0) > 0) continue
    term.fits[id] = edits === 1 ? FIT.oneTypo : FIT.twoTypos
    ids.push(id)
  }
  if (ids.length === 0) return term.exact
  return (await find(`${word}${isLast ? '*' : ''}~`, ids)).copy().or(term.exact)
}

function intersect(sets: readonly Bitset[], alive: Bitset): Bitset {
  return sets.reduce((left, right) => left.and(right), alive.copy())
}
