import { FACET_VALUES_MAX, type FacetCount, type FacetRequest } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import { countPacked, packBits, type PackedBits } from '../index/packed-bits.ts'
import { Top } from './top.ts'

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
