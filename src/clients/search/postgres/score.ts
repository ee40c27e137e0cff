import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import type { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'
import type { Term, TextMatch } from './text-match.ts'

/** How a word of a document fits a searched one, and what that is worth. */
const FIT = { none: 0, twoTypos: 1, oneTypo: 2, beginning: 3, exact: 4 } as const
const WORTH = [0, 0.5, 0.7, 0.9, 1] as const

const NAME = 1
const TAGLINE = 0.5
const DESCRIPTION = 0.2
/** How much it counts that the searched words are all there is to the name, and that they are in order. */
const WHOLE_NAME = 0.15
const IN_ORDER = 0.01
/** Scores are kept in whole steps, so that equal ones are equal. */
export const SCORE_STEPS = 10_000

const IDS_PER_CHECK = 1024

export interface Scores {
  ids: Int32Array
  scores: Uint16Array
  /** Of all the others. */
  rest: number
}

/** Most matches of a common word only have it in the description: those need not be looked at one by one. */
export async function scoreMatches(columns: Columns, match: TextMatch, matches: Bitset): Promise<Scores> {
  const special = match.hasTypos ? matches : findShown(columns, match).and(matches)
  const ids = special.toArray()
  const scores = new Uint16Array(ids.length)
  const size = Math.max(columns.name.size, columns.tagline.size)
  const terms = ids.length === 0 ? [] : match.terms.map((term) => toScored(term, size))
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    scores[index] = Math.round(scoreOf(columns, ids[index] ?? 0, terms) * SCORE_STEPS)
  }
  return { ids, scores, rest: Math.round(weigh(DESCRIPTION) * SCORE_STEPS) }
}

/** By number. */
export function spreadScores({ ids, scores, rest }: Scores, size: number): Uint16Array {
  const spread = new Uint16Array(size).fill(rest)
  for (let index = 0; index < ids.length; index += 1) spread[ids[index] ?? 0] = scores[index] ?? 0
  return spread
}

interface ScoredTerm {
  exact: Bitset
  /** How words of names and taglines fit, by their number. */
  fits: Uint8Array
}

function toScored({ wordId, wordIds, near, exact }: Term, size: number): ScoredTerm {
  const fits = new Uint8Array(size)
  for (const [id, edits] of near ?? []) fits[id] = edits === 1 ? FIT.oneTypo : FIT.twoTypos
  for (const id of wordIds) fits[id] = FIT.beginning
  if (wordId !== undefined) fits[wordId] = FIT.exact
  return { exact, fits }
}

function findShown(columns: Columns, { terms }: TextMatch): Bitset {
  const found = columns.alive.blank()
  for (const { wordIds } of terms) columns.findShown(wordIds, found)
  return found
}

/** 0 to 1: where the words stand counts most, then how well they fit, then how much else is in the name. */
function scoreOf(columns: Columns, id: number, terms: readonly ScoredTerm[]): number {
  let [sum, inName] = [0, 0]
  for (const term of terms) {
    const name = NAME * (WORTH[columns.name.highestMark(id, term.fits)] ?? 0)
    if (name > 0) inName += 1
    sum += Math.max(name, worthElsewhere(columns, id, term))
  }
  const words = weigh(sum / terms.length)
  if (inName === 0) return words
  const share = Math.min(1, inName / columns.name.lengthOf(id))
  return words + WHOLE_NAME * share + (isWholeName(columns, id, terms) ? IN_ORDER : 0)
}

function weigh(words: number): number {
  return words * (1 - WHOLE_NAME - IN_ORDER)
}

function worthElsewhere(columns: Columns, id: number, { fits, exact }: ScoredTerm): number {
  return Math.max(
    TAGLINE * (WORTH[columns.tagline.highestMark(id, fits)] ?? 0),
    DESCRIPTION * (exact.has(id) ? WORTH[FIT.exact] : WORTH[FIT.twoTypos]),
  )
}

function isWholeName({ name }: Columns, id: number, terms: readonly ScoredTerm[]): boolean {
  if (name.lengthOf(id) !== terms.length) return false
  return terms.every((term, index) => (term.fits[name.at(id, index)] ?? 0) > 0)
}
