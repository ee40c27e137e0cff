import { parseVersion } from '../../../domain/engine-range.ts'
import { wordsOf } from '../../../lib/search-words.ts'
import type { CompatRange, SearchDocument } from '../search-engine.ts'

/** Four numbers of up to six digits are more than one number holds exactly: two make a version. */
export interface VersionPair {
  high: number
  low: number
}

const PART = 1_000_000

/** Missing parts count as `filling`; null when there is no number to compare. */
export function toVersionPair(version: string, filling: number): VersionPair | null {
  const numbers = parseVersion(version)
  if (!numbers) return null
  const [major = filling, minor = filling, patch = filling, fourth = filling] = numbers
  return { high: major * PART + minor, low: patch * PART + fourth }
}

/** A maximum covers everything below it, so its missing parts are as high as they get. */
function toSlot({ engine, renderer, min_version, max_version }: CompatRange) {
  return { engine, renderer, min: toVersionPair(min_version, 0), max: toVersionPair(max_version, PART - 1) }
}

export type MeilisearchDocument = Omit<SearchDocument, 'compat'> & {
  /** By number instead of in a list: a filter on fields of a list would mix those of several ranges. */
  ranges: Record<string, ReturnType<typeof toSlot>>
}

/** Texts are sent as the words that Postgres finds them by: nothing is taken apart or folded in another way here. */
export function toMeilisearchDocument({ compat, ...document }: SearchDocument): MeilisearchDocument {
  return {
    ...document,
    name: wordsOf(document.name).join(' '),
    tagline: wordsOf(document.tagline).join(' '),
    description: wordsOf(document.description).join(' '),
    ranges: Object.fromEntries(compat.map((range, slot) => [slot, toSlot(range)])),
  }
}
