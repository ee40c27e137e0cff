import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import { FIT, TermFits, WORTH } from '../index/fits.ts'
import type { TextMatch } from './text-match.ts'

const NAME = 1
const TAGLINE = 0.5
const DESCRIPTION = 0.2
/** Bonuses for names that consist only of the searched words, and in the same order. */
const WHOLE_NAME = 0.15
const IN_ORDER = 0.01
/** Scores are stored as integers, so that they can be compared exactly. */
const SCORE_STEPS = 10_000

const IDS_PER_CHECK = 1024

interface Scored {
  /** In ascending order. */
  ids: Int32Array
  scores: Uint16Array
}

export interface Scores extends Scored {
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
  const terms = match.terms.map((term) => new TermFits(columns, term, matches))
  const found = matches.blank()
  try {
    for (const { name } of terms) name.addTo(found)
    if (depth !== null) {
      const inName = await scoreEach(columns, found, terms)
      if (countBetter(columns, inName) >= depth) return { ...inName, rest: 0 }
    }
    for (const { tagline } of terms) tagline.addTo(found)
    const rest = addUnusual(match, matches, found)
    return { ...(await scoreEach(columns, found, terms)), rest }
  } finally {
    for (const used of [found, ...terms]) used.release()
  }
}

/** The score of a match, from 0 to 1. */
export function findScore({ ids, scores, rest }: Scores, id: number): number {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? 0) < id) low = middle + 1
    else high = middle
  }
  return (ids[low] === id ? (scores[low] ?? 0) : rest) / SCORE_STEPS
}

async function scoreEach(columns: Columns, found: Bitset, terms: readonly TermFits[]): Promise<Scored> {
  const ids = found.toArray()
  const scores = new Uint16Array(ids.length)
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    scores[index] = toSteps(scoreOf(columns, ids[index] ?? 0, terms))
  }
  return { ids, scores }
}

/** How many come before all matches without a word in their name. */
function countBetter({ troubled }: Columns, { ids, scores }: Scored): number {
  const bestElsewhere = toSteps(weigh(TAGLINE * WORTH[FIT.exact]))
  let count = 0
  for (let index = 0; index < ids.length; index += 1) {
    if ((scores[index] ?? 0) > bestElsewhere && !troubled.has(ids[index] ?? 0)) count += 1
  }
  return count
}

/**
 * Adds the matches that have a word exactly while most have it with typos, or the other way round. Returns the score of
 * all that are not found.
 */
function addUnusual({ terms, hasTypos }: TextMatch, matches: Bitset, found: Bitset): number {
  let sum = 0
  for (const { exact } of terms) {
    const areMostExact = !hasTypos || matches.countCommon(exact) * 2 > matches.count()
    sum += areMostExact ? WORTH[FIT.exact] : WORTH[FIT.twoTypos]
    if (!hasTypos) continue
    const unusual = areMostExact ? matches.copy().without(exact) : matches.copy().and(exact)
    found.or(unusual)
    unusual.release()
  }
  return toSteps(weigh((DESCRIPTION * sum) / Math.max(1, terms.length)))
}

/** From 0 to 1. The field of the words counts most, then how well they match, then the rest of the name. */
function scoreOf(columns: Columns, id: number, terms: readonly TermFits[]): number {
  let sum = 0
  let inName = 0
  for (let index = 0; index < terms.length; index += 1) {
    const term = terms[index]
    if (!term) continue
    // Any match in the name is worth at least as much as the best one elsewhere.
    const name = term.name.of(id)
    if (name > 0) inName += 1
    sum += name > 0 ? NAME * (WORTH[name] ?? 0) : worthElsewhere(id, term)
  }
  const words = weigh(sum / terms.length)
  if (inName === 0) return words
  const share = Math.min(1, inName / columns.name.lengthOf(id))
  return words + WHOLE_NAME * share + (isWholeName(columns, id, terms) ? IN_ORDER : 0)
}

/** The same holds for the tagline and the description. */
function worthElsewhere(id: number, { tagline, exact }: TermFits): number {
  const fit = tagline.of(id)
  if (fit > 0) return TAGLINE * (WORTH[fit] ?? 0)
  return DESCRIPTION * (exact.has(id) ? WORTH[FIT.exact] : WORTH[FIT.twoTypos])
}

function isWholeName({ name }: Columns, id: number, terms: readonly TermFits[]): boolean {
  if (name.lengthOf(id) !== terms.length) return false
  for (let index = 0; index < terms.length; index += 1) {
    if (!terms[index]?.fits(name.at(id, index))) return false
  }
  return true
}

function weigh(words: number): number {
  return words * (1 - WHOLE_NAME - IN_ORDER)
}

function toSteps(score: number): number {
  return Math.round(score * SCORE_STEPS)
}
