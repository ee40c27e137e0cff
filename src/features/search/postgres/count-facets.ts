import { type Facet, FACET_VALUES_MAX, type FacetCount } from '../../../clients/search/search-engine.ts'
import type { Bitset, PackedBits } from './bitset.ts'
import type { Columns } from './columns.ts'

/** Counts the most common values of facets among matches. */
export function createFacetCounter(columns: Columns): (facet: Facet, matches: Bitset) => FacetCount[] {
  const packed = new Map<Bitset, PackedBits>()
  return (facet, matches) => {
    const sets = columns.setsOf(facet)
    if (!sets) return mostCommon(countValues(facet === 'tags' ? columns.tags : columns.engines, matches))
    const bits = packed.get(matches) ?? matches.pack()
    packed.set(matches, bits)
    return mostCommon(Array.from(sets, ([value, set]) => ({ value, count: set.countPacked(bits) })))
  }
}

function mostCommon(counts: readonly FacetCount[]): FacetCount[] {
  return counts
    .filter(({ count }) => count > 0)
    .sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1))
    .slice(0, FACET_VALUES_MAX)
}

/** Most values are rare: what is too rare to be shown needs no sorting. */
function countValues(column: Columns['tags'], matches: Bitset): FacetCount[] {
  const numbers = column.countIn(matches)
  const least = Math.max(1, numbers.toSorted().at(-FACET_VALUES_MAX) ?? 1)
  const counts: FacetCount[] = []
  for (let number = 0; number < numbers.length; number += 1) {
    const count = numbers[number] ?? 0
    if (count >= least) counts.push({ value: column.values[number] ?? '', count })
  }
  return counts
}
