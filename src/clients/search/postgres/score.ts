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
const SCORE_STEPS = 10_000

const IDS_PER_CHECK = 1024

export interface Scores {
  /** In ascending order. */
  ids: Int32Array
  scores: Uint16Array
  /** The score of all other matches. */
  rest: number
}

/**
 * Most matches of a common word have it only in the description; those share one score. If so many have it in their name
 * that others are not among the first `depth`, only those are scored. Null scores all.
 */
export async function scoreMatches(
  columns: Columns,
  match: TextMatch,
  matches: Bitset,
  depth: number | null,
): Promise<Scores> {
  const terms = match.terms.map((term) => toScored(term, columns))
  if (depth !== null) {
    const inName = await scoreEach(columns, findInName(columns, match, matches), terms)
    if (countBetter(columns, inName) >= depth) return { ...inName, rest: 0 }
  }
  const { others, rest } = findOthers(columns, match, matches)
  return { ...(await scoreEach(columns, others, terms)), rest }
}

/** Releases the set. */
async function scoreEach(
  columns: Columns,
  matches: Bitset,
  terms: readonly ScoredTerm[],
): Promise<Omit<Scores, 'rest'>> {
  const ids = matches.toArray()
  matches.release()
  const scores = new Uint16Array(ids.length)
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    scores[index] = toSteps(scoreOf(columns, ids[index] ?? 0, terms))
  }
  return { ids, scores }
}

/** How many come before all matches without a word in their name. */
function countBetter({ troubled }: Columns, { ids, scores }: Omit<Scores, 'rest'>): number {
  const bestElsewhere = toSteps(weigh(TAGLINE * WORTH[FIT.exact]))
  let count = 0
  for (let index = 0; index < ids.length; index += 1) {
    if ((scores[index] ?? 0) > bestElsewhere && !troubled.has(ids[index] ?? 0)) count += 1
  }
  return count
}

/** The score of a match, from 0 to 1. */
export function readScore({ ids, scores, rest }: Scores, id: number): number {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? 0) < id) low = middle + 1
    else high = middle
  }
  return (ids[low] === id ? (scores[low] ?? 0) : rest) / SCORE_STEPS
}

function toSteps(score: number): number {
  return Math.round(score * SCORE_STEPS)
}

function findInName(columns: Columns, { terms }: TextMatch, matches: Bitset): Bitset {
  const found = columns.alive.blank()
  for (const term of terms) columns.findNamed(fittingIds(term), found)
  return found.and(matches)
}

/**
 * The matches that do not have the most common score: those with a word in name or tagline, and those that match a
 * word exactly while most match it with typos, or the other way round.
 */
function findOthers(
  columns: Columns,
  { terms, hasTypos }: TextMatch,
  matches: Bitset,
): { others: Bitset; rest: number } {
  const others = columns.alive.blank()
  let sum = 0
  for (const term of terms) {
    const { exact } = term
    columns.findNamed(fittingIds(term), others)
    columns.findTaglined(fittingIds(term), others)
    const areMostExact = !hasTypos || matches.countCommon(exact) * 2 > matches.count()
    sum += areMostExact ? WORTH[FIT.exact] : WORTH[FIT.twoTypos]
    if (!hasTypos) continue
    const unusual = areMostExact ? matches.copy().without(exact) : matches.copy().and(exact)
    others.or(unusual)
    unusual.release()
  }
  return {
    others: others.and(matches),
    rest: toSteps(weigh((DESCRIPTION * sum) / Math.max(1, terms.length))),
  }
}

function fittingIds({ wordIds, near }: Term): number[] {
  return [...wordIds, ...(near?.keys() ?? [])]
}

interface ScoredTerm {
  exact: Bitset
  /** How well the words of names and taglines match, by word id. */
  fits: Uint8Array
}

function toScored({ wordId, wordIds, near, exact }: Term, { name, tagline }: Columns): ScoredTerm {
  const fits = new Uint8Array(Math.max(name.size, tagline.size))
  for (const [id, edits] of near ?? []) fits[id] = edits === 1 ? FIT.oneTypo : FIT.twoTypos
  for (const id of wordIds) fits[id] = FIT.beginning
  if (wordId !== undefined) fits[wordId] = FIT.exact
  return { exact, fits }
}

/** From 0 to 1. The field of the words counts most, then how well they match, then the rest of the name. */
function scoreOf(columns: Columns, id: number, terms: readonly ScoredTerm[]): number {
  let sum = 0
  let inName = 0
  for (let index = 0; index < terms.length; index += 1) {
    const term = terms[index]
    if (!term) continue
    // Any match in the name is worth at least as much as the best one elsewhere.
    const name = columns.name.highestMark(id, term.fits)
    if (name > 0) inName += 1
    sum += name > 0 ? NAME * (WORTH[name] ?? 0) : worthElsewhere(columns, id, term)
  }
  const words = weigh(sum / terms.length)
  if (inName === 0) return words
  const share = Math.min(1, inName / columns.name.lengthOf(id))
  return words + WHOLE_NAME * share + (isWholeName(columns, id, terms) ? IN_ORDER : 0)
}

function weigh(words: number): number {
  return words * (1 - WHOLE_NAME - IN_ORDER)
}

/** The same holds for the tagline and the description. */
function worthElsewhere(columns: Columns, id: number, { fits, exact }: ScoredTerm): number {
  const tagline = columns.tagline.highestMark(id, fits)
  if (tagline > 0) return TAGLINE * (WORTH[tagline] ?? 0)
  return DESCRIPTION * (exact.has(id) ? WORTH[FIT.exact] : WORTH[FIT.twoTypos])
}

function isWholeName({ name }: Columns, id: number, terms: readonly ScoredTerm[]): boolean {
  if (name.lengthOf(id) !== terms.length) return false
  for (let index = 0; index < terms.length; index += 1) {
    if ((terms[index]?.fits[name.at(id, index)] ?? 0) === 0) return false
  }
  return true
}
