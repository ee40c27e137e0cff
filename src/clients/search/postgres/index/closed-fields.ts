import type { IndexedDocument } from '../../../../db/schema/search.ts'
import { STORED_FACETS } from '../../../../domain/listings/facets.ts'
import { type SearchField } from '../../search-engine.ts'
import { jsonSection, type NextSection, readJson, type Section } from '../snapshots/snapshot-file.ts'
import { Bitset } from './bitset.ts'

/** Fields with so many values that a bitset for each would need too much memory. */
const OPEN_FIELDS = ['tags', 'engines', 'languages', 'developer'] as const
type OpenField = (typeof OPEN_FIELDS)[number]
type ClosedField = Exclude<SearchField, OpenField>

const FIELDS: readonly SearchField[] = [...STORED_FACETS, 'platforms']
const CLOSED_FIELDS = FIELDS.filter(isClosed)

/** Fields with few distinct values have a bitset per value. */
function isClosed(field: SearchField): field is ClosedField {
  return !OPEN_FIELDS.some((open) => open === field)
}

export class ClosedFields {
  private readonly fields = new Map<SearchField, Map<string, Bitset>>()

  /** Null removes the document. `isNew` saves looking for its earlier values. Returns whether any value changed. */
  set(id: number, document: IndexedDocument | null, isNew = false): boolean {
    let isChanged = false
    for (const field of CLOSED_FIELDS) {
      const values = document === null ? [] : listOf(document[field])
      for (const [value, bits] of (!isNew && this.fields.get(field)) || []) {
        if (!bits.has(id) || values.includes(value)) continue
        bits.delete(id)
        isChanged = true
      }
      for (const value of values) {
        const bits = this.bitsOf(field, value)
        if (bits.has(id)) continue
        bits.add(id)
        isChanged = true
      }
    }
    return isChanged
  }

  /** The values of a field with the documents that have them; null for fields with too many values. */
  setsOf(field: SearchField): ReadonlyMap<string, Bitset> | null {
    return isClosed(field) ? (this.fields.get(field) ?? new Map()) : null
  }

  save(): Section[] {
    const sets = Array.from(this.fields, ([field, values]) =>
      Array.from(values, ([value, bits]) => ({ field, value, bits })),
    ).flat()
    return [
      jsonSection(sets.map(({ field, value }) => [field, value])),
      ...sets.map(({ bits }) => bits.save()),
    ]
  }

  async restore(next: NextSection): Promise<void> {
    for (const [field, value] of await readJson<[SearchField, string][]>(next)) {
      await this.bitsOf(field, value).restore(next)
    }
  }

  private bitsOf(field: SearchField, value: string): Bitset {
    const sets = this.fields.get(field) ?? new Map<string, Bitset>()
    this.fields.set(field, sets)
    const bits = sets.get(value) ?? new Bitset()
    sets.set(value, bits)
    return bits
  }
}

/** Documents that were indexed before a field became a facet do not have it. */
function listOf(value: string | null | undefined | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? [])
}
