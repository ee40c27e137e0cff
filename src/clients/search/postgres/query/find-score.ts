import { isTypeName } from '../../../../domain/listings/everyday-words.ts'
import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import type { FitBits } from '../index/facts.ts'
import { FIT, FitSets, groupByFit, WORTH } from '../index/fits.ts'
import { type FindMatch, type FoundTerm, type FoundWord, indexOf } from './find-match.ts'
import type { Scores } from './score.ts'

/** What a word is worth in each field. A beginning in one is worth more than the whole word in the next. */
const NAME = 1
const DEVELOPER = 0.8
const FACTS = 0.65
const TAGLINE = 0.5
const DESCRIPTION = 0.2
/** Bonuses for the share of the name that was typed, for its words in their order, and for nothing but the name. */
const OF_NAME = 0.1
const IN_ORDER = 0.05
const WHOLE_NAME = 0.1
/** A word of the name that the listing also is, or tells of in its tagline. Together less than the steps between fields. */
const ALSO_IN_FACTS = 0.05
const ALSO_IN_TAGLINE = 0.03
/**
 * Several words that all are values or the developer of a listing describe it: it comes before those that have only some of
 * them in their name, and after those that have all.
 */
const DESCRIBED = 0.9
const DESCRIBED_SHARE = 0.05
const BEST = NAME + ALSO_IN_FACTS + ALSO_IN_TAGLINE + OF_NAME + IN_ORDER + WHOLE_NAME
const SCORE_STEPS = 10_000
const IDS_PER_CHECK = 1024

/** Scores every match: a person's words rarely match more than a part of the store. */
export async function scoreFind(columns: Columns, match: FindMatch, matches: Bitset): Promise<Scores> {
  const terms = match.terms.map(({ alternatives }) =>
    alternatives.map((words) => words.map((word) => new WordWorth(columns, word, matches))),
  )
  const typed = typedWordIds(match.terms)
  const described = match.terms.length > 1 ? findDescribed(match.terms, matches) : null
  const ids = matches.toArray()
  const scores = new Uint16Array(ids.length)
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    const id = ids[index] ?? 0
    const isDescribed = described?.has(id) === true
    scores[index] = Math.round((scoreOf(columns, id, { terms, typed, isDescribed }) / BEST) * SCORE_STEPS)
  }
  described?.release()
  for (const word of terms.flat(2)) word.release()
  return { ids, scores, rest: 0 }
}

/** The matches of which every term is a value or the developer, without typos. */
function findDescribed(terms: readonly FoundTerm[], matches: Bitset): Bitset {
  const described = matches.copy()
  for (const { alternatives } of terms) {
    const found = matches.blank()
    for (const words of alternatives) {
      const own = described.copy()
      for (const { text, fits } of words) {
        const having = matches.blank().or(fits.facts.exact).or(fits.facts.beginning)
        if (!isTypeName(text.word)) having.or(fits.developer.exact).or(fits.developer.beginning)
        own.and(having)
        having.release()
      }
      found.or(own)
      own.release()
    }
    described.and(found)
    found.release()
  }
  return described
}

interface Asked {
  terms: readonly (readonly (readonly WordWorth[])[])[]
  /** The words of the typed alternatives. */
  typed: readonly number[]
  isDescribed: boolean
}

function scoreOf({ name }: Columns, id: number, { terms, typed, isDescribed }: Asked): number {
  if (terms.length === 0) return 0
  let sum = 0
  let inName = 0
  for (const alternatives of terms) {
    let best = 0
    let named = 0
    for (const words of alternatives) {
      let worth = 0
      let count = 0
      for (const word of words) {
        const own = word.of(id)
        // The document does not have this alternative.
        if (own === 0) {
          worth = 0
          count = 0
          break
        }
        worth += own / words.length
        if (word.isInName(id)) count += 1
      }
      best = Math.max(best, worth)
      named = Math.max(named, count)
    }
    sum += best
    inName += named
  }
  const worth = sum / terms.length
  const score = isDescribed ? Math.max(worth, DESCRIBED + DESCRIBED_SHARE * worth) : worth
  if (inName === 0) return score
  const length = Math.max(1, name.lengthOf(id))
  const inOrder = typed.length > 0 && indexOf(name, id, typed) >= 0
  const isWhole = inOrder && length === typed.length
  return (
    score + OF_NAME * Math.min(1, inName / length) + (inOrder ? IN_ORDER : 0) + (isWhole ? WHOLE_NAME : 0)
  )
}

/** The words as they were typed; empty if one of them is in no text. */
function typedWordIds(terms: readonly FoundTerm[]): number[] {
  const words = terms.flatMap(({ alternatives }) => alternatives[0] ?? [])
  const ids = words.flatMap(({ text }) => text.wordId ?? [])
  return ids.length === words.length ? ids : []
}

const FITS = [
  ['exact', FIT.exact],
  ['beginning', FIT.beginning],
  ['oneTypo', FIT.oneTypo],
  ['twoTypos', FIT.twoTypos],
] as const satisfies readonly (readonly [keyof FitBits, number])[]

/** What one word is worth in each document. */
class WordWorth {
  private readonly name: FitSets
  private readonly tagline: FitSets
  private readonly exact: Bitset
  private readonly loose: Bitset
  private readonly isType: boolean
  private readonly ofDeveloper: number
  private readonly developer: readonly Fit[]
  private readonly facts: readonly Fit[]

  constructor(columns: Columns, { text, fits }: FoundWord, matches: Bitset) {
    const groups = groupByFit(text)
    this.name = new FitSets(groups, (wordIds) => columns.findNamed(wordIds, matches))
    this.tagline = new FitSets(groups, (wordIds) => columns.findTaglined(wordIds, matches))
    this.exact = text.exact
    this.loose = text.loose ?? text.exact
    this.isType = isTypeName(text.word)
    this.ofDeveloper = this.isType ? DESCRIPTION : DEVELOPER
    this.developer = listFits(fits.developer)
    this.facts = listFits(fits.facts)
  }

  isInName(id: number): boolean {
    return this.name.of(id) > 0
  }

  /** 0 if the document does not have the word. */
  of(id: number): number {
    const inDescription = this.exact.has(id)
      ? DESCRIPTION
      : this.loose.has(id)
        ? DESCRIPTION * WORTH[FIT.twoTypos]
        : 0
    const inFacts = FACTS * bestOf(this.facts, id)
    const inTagline = TAGLINE * (WORTH[this.tagline.of(id)] ?? 0)
    const worth = Math.max(
      NAME * (WORTH[this.name.of(id)] ?? 0),
      this.ofDeveloper * bestOf(this.developer, id),
      inFacts,
      inTagline,
      inDescription,
    )
    if (this.isType) return worth
    return (
      worth +
      (worth > inFacts && inFacts > 0 ? ALSO_IN_FACTS : 0) +
      (worth > inTagline && inTagline > 0 ? ALSO_IN_TAGLINE : 0)
    )
  }

  release(): void {
    this.name.release()
    this.tagline.release()
  }
}

interface Fit {
  worth: number
  found: Bitset
}

function listFits(bits: FitBits): Fit[] {
  return FITS.flatMap(([fit, at]) => (bits[fit].isEmpty() ? [] : [{ worth: WORTH[at], found: bits[fit] }]))
}

function bestOf(fits: readonly Fit[], id: number): number {
  for (const { worth, found } of fits) if (found.has(id)) return worth
  return 0
}
