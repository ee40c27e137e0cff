import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import type { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'
import type { Term, TextMatch } from './text-match.ts'

/** How well a word of a document matches a searched one, and the weight of each kind. */
const FIT = { none: 0, twoTypos: 1, oneTypo: 2, beginning: 3, exact: 4 } as const
const WORTH = [0, 0.5, 0.7, 0.9, 1] as const

const NAME = 1
const TAGLINE = 0.5
const DESCRIPTION = 0.2
/** Bonuses for names that consist only of the searched words, and in the same order. */
const WHOLE_NAME = 0.15
const IN_ORDER = 0.01
/** Scores are stored as integers, so that they can be compared exactly. */
export const SCORE_STEPS = 10_000

const IDS_PER_CHECK = 1024

export interface Scores {
  ids: Int32Array
  scores: Uint16Array
  /** The score of all other matches. */
  rest: number
}

/** Most matches of a common word have it only in the description; those share one score. */
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

/** Scores by document id. */
export function spreadScores({ ids, scores, rest }: Scores, size: number): Uint16Array {
  const spread = new Uint16Array(size).fill(rest)
  for (let index = 0; index < ids.length; index += 1) spread[ids[index] ?? 0] = scores[index] ?? 0
  return spread
}

interface ScoredTerm {
  exact: Bitset
  /** How well the words of names and taglines match, by word id. */
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

/** From 0 to 1. The field of the words counts most, then how well they match, then the rest of the name. */
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
