import { FACET_VALUES_MAX, type FacetCount, type FacetRequest } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import { countBits } from '../index/common-bits.ts'
import { Top } from './top.ts'

/** Counting all words takes less time if more than this share of them is not zero. */
const PACKED_SHARE = 8

/** Counts the most common values of a facet among the matches. */
export function createFacetCounter(
  columns: Columns,
): (request: FacetRequest, matches: Bitset) => FacetCount[] {
  const packed = new Map<Bitset, PackedBits | null>()
  return (request, matches) => {
    const { facet } = request
    const sets = facet === 'released' ? setsSince(columns, request.since) : columns.closed.setsOf(facet)
    if (!sets) {
      const column = columns.openField(facet)
      return mostCommon(column.values, column.countIn(matches, columns.alive, FACET_VALUES_MAX))
    }
    const bits = packed.has(matches) ? packed.get(matches) : packBits(matches)
    packed.set(matches, bits ?? null)
    const values = [...sets.values()]
    const counts = bits ? values.map((set) => countPacked(bits, set)) : matches.countCommonEach(values)
    return mostCommon([...sets.keys()], counts)
  }
}

function setsSince(columns: Columns, since: Readonly<Record<string, number>>): ReadonlyMap<string, Bitset> {
  return new Map(Object.entries(since).map(([value, from]) => [value, columns.publishedSince(from)]))
}

function mostCommon(values: readonly string[], counts: ArrayLike<number>): FacetCount[] {
  const valueOf = (index: number) => values[index] ?? ''
  const top = new Top(FACET_VALUES_MAX, [counts], (left, right) => (valueOf(left) < valueOf(right) ? -1 : 1))
  for (let index = 0; index < counts.length; index += 1) if ((counts[index] ?? 0) > 0) top.offer(index)
  return top.sorted().map((index) => ({ value: valueOf(index), count: counts[index] ?? 0 }))
}

/** The non-zero words of a set. */
interface PackedBits {
  indexes: Int32Array
  words: Int32Array
}

/** For counting against many sets; null unless few words are not zero. */
export function packBits({ raw }: Bitset): PackedBits | null {
  let size = 0
  for (let index = 0; index < raw.length; index += 1) if (raw[index] !== 0) size += 1
  if (size * PACKED_SHARE > raw.length) return null
  const [indexes, words] = [new Int32Array(size), new Int32Array(size)]
  let filled = 0
  for (let index = 0; index < raw.length; index += 1) {
    const word = raw[index] ?? 0
    if (word === 0) continue
    indexes[filled] = index
    words[filled] = word
    filled += 1
  }
  return { indexes, words }
}

/** The size of the intersection. */
export function countPacked({ indexes, words }: PackedBits, { raw }: Bitset): number {
  let total = 0
  for (let index = 0; index < words.length; index += 1) {
    const both = (words[index] ?? 0) & (raw[indexes[index] ?? 0] ?? 0)
    if (both !== 0) total += countBits(both)
  }
  return total
}
