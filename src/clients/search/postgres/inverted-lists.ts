import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import type { Bitset } from './bitset.ts'
import type { ChangedIds } from './changed-ids.ts'
import type { NumberLists } from './number-lists.ts'
import { Prepared } from './prepared.ts'

const DOCUMENTS_PER_CHECK = 4096

/** For each number, the documents whose lists contain it, as a range of one array. */
interface Inverted {
  starts: Int32Array
  ends: Int32Array
  positions: Int32Array
}

/** Maps every number in some lists to the documents whose lists contain it. */
export class InvertedLists extends Prepared<Inverted> {
  private readonly sources: readonly NumberLists[]

  constructor(...sources: readonly NumberLists[]) {
    super()
    this.sources = sources
  }

  addTo(found: Bitset, numbers: readonly number[]): void {
    const wanted = new Set(numbers)
    const addIfAny = (id: number) => {
      if (this.sources.some((lists) => lists.hasAny(id, wanted))) found.add(id)
    }
    if (this.current === null) {
      const documents = Math.max(...this.sources.map(({ capacity }) => capacity))
      for (let id = 0; id < documents; id += 1) addIfAny(id)
      return
    }
    const { built, changed } = this.current
    for (const number of numbers) {
      const end = built.ends[number] ?? 0
      for (let index = built.starts[number] ?? 0; index < end; index += 1) {
        const id = built.positions[index] ?? 0
        if (!changed.has(id)) found.add(id)
      }
    }
    for (const id of changed.ids) addIfAny(id)
  }

  protected async build(documents: number, omitted: ChangedIds): Promise<Inverted> {
    const { sources } = this
    const size = Math.max(...sources.map((lists) => lists.size))
    const ends = new Int32Array(size)
    await inSteps(documents, (from, to) => {
      for (const lists of sources) lists.countInto(ends, from, to, omitted)
    })
    const starts = new Int32Array(size)
    let total = 0
    for (let number = 0; number < size; number += 1) {
      starts[number] = total
      total += ends[number] ?? 0
    }
    ends.set(starts)
    const positions = new Int32Array(total)
    await inSteps(documents, (from, to) => {
      for (const lists of sources) lists.scatterInto(positions, ends, from, to, omitted)
    })
    return { starts, ends, positions }
  }
}

async function inSteps(documents: number, visit: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < documents; from += DOCUMENTS_PER_CHECK) {
    if (isSliceOver()) await nextSlice()
    visit(from, Math.min(documents, from + DOCUMENTS_PER_CHECK))
  }
}
