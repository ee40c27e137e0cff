import type { Term } from '../query/text-match.ts'
import type { Bitset } from './bitset.ts'
import type { Columns } from './columns.ts'

/** How well a word of a document matches a searched one, and the weight of each kind. */
export const FIT = { none: 0, twoTypos: 1, oneTypo: 2, beginning: 3, exact: 4 } as const
export const WORTH = [0, 0.5, 0.7, 0.9, 1] as const

type FitGroups = readonly (readonly [fit: number, wordIds: readonly number[]])[]

type FindMatches = (wordIds: readonly number[]) => Bitset

/** The matches that have a searched word in one field, as a set for each kind of fit. */
export class FitSets {
  private readonly sets: { fit: number; found: Bitset }[] = []

  constructor(groups: FitGroups, find: FindMatches) {
    for (const [fit, wordIds] of groups) {
      if (wordIds.length > 0) this.sets.push({ fit, found: find(wordIds) })
    }
  }

  /** The best fit of a document. */
  of(id: number): number {
    const { sets } = this
    for (let index = 0; index < sets.length; index += 1) {
      const set = sets[index]
      if (set?.found.has(id)) return set.fit
    }
    return FIT.none
  }

  addTo(found: Bitset): void {
    for (const set of this.sets) found.or(set.found)
  }

  release(): void {
    for (const { found } of this.sets) found.release()
  }
}

/** How well the matches of a search fit one of its words. */
export class TermFits {
  readonly name: FitSets
  private taglineSets: FitSets | null = null
  private readonly groups: FitGroups
  private readonly wordIds: ReadonlySet<number>

  constructor(
    private readonly columns: Columns,
    private readonly term: Term,
    private readonly matches: Bitset,
  ) {
    this.groups = groupByFit(term)
    this.name = new FitSets(this.groups, (wordIds) => columns.findNamed(wordIds, matches))
    this.wordIds = new Set(this.groups.flatMap(([, wordIds]) => wordIds))
  }

  /** Many searches need only the names. */
  get tagline(): FitSets {
    this.taglineSets ??= new FitSets(this.groups, (wordIds) =>
      this.columns.findTaglined(wordIds, this.matches),
    )
    return this.taglineSets
  }

  /** The documents that have the word as typed, in any field. */
  get exact(): Bitset {
    return this.term.exact
  }

  fits(wordId: number): boolean {
    return this.wordIds.has(wordId)
  }

  release(): void {
    this.name.release()
    this.taglineSets?.release()
  }
}

/** The best fit first. */
export function groupByFit({ wordId, wordIds, near }: Term): FitGroups {
  const withTypos = (typos: number) =>
    Array.from(near ?? []).flatMap(([id, edits]) => (edits === typos ? id : []))
  return [
    [FIT.exact, wordId === undefined ? [] : [wordId]],
    [FIT.beginning, wordIds.filter((id) => id !== wordId)],
    [FIT.oneTypo, withTypos(1)],
    [FIT.twoTypos, withTypos(2)],
  ]
}
