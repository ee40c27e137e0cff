import { ONE_TYPO_FROM, TWO_TYPOS_FROM } from '../../search-engine.ts'
import { Bitset } from '../index/bitset.ts'
import type { TypoBudget } from '../index/near-words.ts'
import type { Postings } from '../index/postings.ts'
import { SHORT_PREFIX_MAX, type Vocabulary } from '../index/vocabulary.ts'

/** Typos are tolerated if fewer than this many listings match the words as typed. */
const TYPOS_BELOW = 20
/** A word with two typos takes 70,000 steps among 300,000 words. Beyond the budget only exact words match. */
const TYPO_STEPS_MAX = 200_000

/** The parts of the index needed to match a text. */
export interface TextIndex {
  vocabulary: Vocabulary
  alive: Bitset
  postings: Postings
}

export interface Term {
  word: string
  /** The last word may be incomplete. */
  isLast: boolean
  wordId: number | undefined
  /** The word itself and, for the last word, all words that start with it. */
  wordIds: readonly number[]
  /** Words that match with typos, and the number of typos; null until searched for. */
  near: ReadonlyMap<number, number> | null
  /** The documents that match the word as typed. */
  exact: Bitset
  /** Also those that match it with typos; absent until searched for. */
  loose?: Bitset
}

export interface TextMatch {
  terms: readonly Term[]
  matches: Bitset
  /** Whether typos were tolerated. */
  hasTypos: boolean
}

/** Finds documents that match every word, the last as a prefix. Stops at the first word without matches. */
export async function matchText(words: readonly string[], index: TextIndex): Promise<TextMatch> {
  const { alive, vocabulary, postings } = index
  const budget: TypoBudget = { steps: TYPO_STEPS_MAX }
  const terms = words.map((word, at) => lookUp(word, at === words.length - 1, vocabulary))
  const known = terms.filter(({ wordIds }) => wordIds.length > 0)
  const unknown = terms.filter(({ wordIds }) => wordIds.length === 0)

  for (const term of unknown) {
    term.near = await findTypos(term, vocabulary, budget)
    if (term.near.size === 0) return { terms: [], matches: new Bitset(), hasTypos: true }
  }
  await Promise.all(
    known.map(async (term) => {
      term.exact = await postings.find(postingIdsOf(term, vocabulary))
    }),
  )
  if (unknown.length === 0) {
    const matches = known.reduce((left, { exact }) => left.and(exact), alive.copy())
    if (matches.count() >= TYPOS_BELOW) return { terms, matches, hasTypos: false }
  }
  const matches = alive.copy()
  for (const term of [...unknown, ...known]) {
    term.near ??= await findTypos(term, vocabulary, budget)
    matches.and(await findWithTypos(term, postings))
    if (matches.count() === 0) break
  }
  return { terms, matches, hasTypos: true }
}

export function lookUp(word: string, isLast: boolean, vocabulary: Vocabulary): Term {
  const wordId = vocabulary.idOf(word)
  const own = wordId === undefined ? [] : [wordId]
  const wordIds = isLast ? vocabulary.startingWith(word) : own
  return { word, isLast, wordId, wordIds, near: null, exact: new Bitset() }
}

/** Short prefixes have posting lists of their own. */
export function postingIdsOf({ word, isLast, wordIds }: Term, vocabulary: Vocabulary): readonly number[] {
  const short = isLast && word.length <= SHORT_PREFIX_MAX ? vocabulary.idOfShortPrefix(word) : undefined
  return short === undefined ? wordIds : [short]
}

export async function findTypos(
  { word, isLast, wordIds }: Term,
  vocabulary: Vocabulary,
  budget: TypoBudget,
): Promise<ReadonlyMap<number, number>> {
  const maxEdits = word.length >= TWO_TYPOS_FROM ? 2 : word.length >= ONE_TYPO_FROM ? 1 : 0
  if (maxEdits === 0) return new Map()
  const near = (await vocabulary.near({ word, maxEdits, asPrefix: isLast }, budget)) ?? new Map()
  for (const id of wordIds) near.delete(id)
  return near
}

/** `more` are other posting lists that count as matches with typos. */
export async function findWithTypos(
  { near, exact }: Pick<Term, 'near' | 'exact'>,
  postings: Postings,
  more: readonly number[] = [],
): Promise<Bitset> {
  const ids = [...(near?.keys() ?? []), ...more]
  return ids.length === 0 ? exact : (await postings.find(ids)).copy().or(exact)
}
