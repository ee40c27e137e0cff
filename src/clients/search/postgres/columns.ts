import type { IndexedDocument } from '../../../db/schema/search.ts'
import type { CompatRange, SearchField } from '../search-engine.ts'
import { Bitset } from './bitset.ts'
import { InvertedLists } from './inverted-lists.ts'
import { NumberLists } from './number-lists.ts'
import { NumberedValues } from './numbered-values.ts'
import { Packages } from './packages.ts'

/** Fields with few distinct values have a bitset per value; other fields would need too many. */
const CLOSED_FIELDS = [
  'asset_type',
  'genres',
  'tone',
  'session_bucket',
  'net',
  'authorship',
  'ai_uses',
  'content_warnings',
  'os',
  'platforms',
  'license_kind',
] as const satisfies readonly SearchField[]
type ClosedField = (typeof CLOSED_FIELDS)[number]

/**
 * All documents by id, in the form that filters, counts and ranking need. Takes about 300 bytes per document,
 * 30 MB for 100,000. Ids are dense, so each bitset needs one bit per document.
 */
export class Columns {
  readonly alive = new Bitset()
  readonly adult = new Bitset()
  readonly troubled = new Bitset()
  readonly tags = new NumberedValues()
  readonly engines = new NumberedValues()
  readonly compat = new NumberedValues()
  /** Word ids of name and tagline, in order. */
  readonly name = new NumberLists()
  readonly tagline = new NumberLists()
  readonly packages = new Packages()
  private readonly shown = new InvertedLists(this.name, this.tagline)
  private ranges: readonly DeclaredRange[] | null = null
  private readonly closed = new Map<ClosedField, Map<string, Bitset>>(
    CLOSED_FIELDS.map((field) => [field, new Map()]),
  )
  private uids: string[] = []
  /** Timestamps, by id. */
  published = new Float64Array(64)
  updated = new Float64Array(64)
  /** 0 if not declared. */
  private players = new Uint8Array(128)

  put(id: number, uid: string, document: IndexedDocument | null): void {
    this.shown.markChanged(id)
    this.ranges = null
    this.makeRoom(id)
    const isKnown = this.uids[id] !== undefined
    this.uids[id] = uid
    if (isKnown) this.forget(id)
    this.packages.set(id, uid, document)
    if (document === null) return
    this.alive.add(id)
    if (document.adult) this.adult.add(id)
    if (document.health_penalty === 1) this.troubled.add(id)
    this.published[id] = document.published_at
    this.updated[id] = document.updated_at
    this.players[id * 2] = document.players_min ?? 0
    this.players[id * 2 + 1] = document.players_max ?? 0
    for (const [field, sets] of this.closed) {
      for (const value of listOf(document[field])) addTo(sets, value, id)
    }
    this.tags.set(id, document.tags)
    this.engines.set(id, document.engines)
    this.compat.set(id, document.compat.map(writeRange))
    this.name.set(id, document.name)
    this.tagline.set(id, document.tagline)
  }

  /** The highest id plus one. */
  get size(): number {
    return this.uids.length
  }

  uidOf(id: number): string {
    return this.uids[id] ?? ''
  }

  /** The values of a field with the documents that have them; null for fields with too many values. */
  setsOf(field: SearchField): ReadonlyMap<string, Bitset> | null {
    const closed = CLOSED_FIELDS.find((known) => known === field)
    return closed === undefined ? null : (this.closed.get(closed) ?? new Map())
  }

  /** Adds the documents that have any of the words in their name or tagline. */
  findShown(wordIds: readonly number[], found: Bitset): void {
    this.shown.addTo(found, wordIds)
  }

  /** The distinct ranges that listings declare. */
  listRanges(): readonly DeclaredRange[] {
    this.ranges ??= this.compat.list().map((written) => ({ written, range: readRange(written) }))
    return this.ranges
  }

  supporting(players: number): Bitset {
    const found = this.alive.blank()
    this.alive.forEach((id) => {
      const least = this.players[id * 2] ?? 0
      const most = this.players[id * 2 + 1] ?? 0
      if (least > 0 && least <= players && players <= most) found.add(id)
    })
    return found
  }

  private forget(id: number): void {
    for (const set of [this.alive, this.adult, this.troubled]) set.delete(id)
    for (const sets of this.closed.values()) for (const set of sets.values()) set.delete(id)
    for (const lists of [this.tags, this.engines, this.compat]) lists.set(id, [])
    for (const lists of [this.name, this.tagline]) lists.set(id, [])
  }

  private makeRoom(id: number): void {
    if (id < this.published.length) return
    const size = Math.max(id + 1, this.published.length * 2)
    this.published = grown(this.published, new Float64Array(size))
    this.updated = grown(this.updated, new Float64Array(size))
    this.players = grown(this.players, new Uint8Array(size * 2))
  }
}

/** A range in its stored form, and parsed. */
interface DeclaredRange {
  written: string
  range: CompatRange
}

/** Encodes a range as one string, so that listings with the same range share it. */
function writeRange({ engine, min_version, max_version, renderer }: CompatRange): string {
  return [engine, min_version, max_version, renderer ?? ''].join(' ')
}

function readRange(written: string): CompatRange {
  const [engine = '', min_version = '', max_version = '', renderer = ''] = written.split(' ')
  return { engine, min_version, max_version, renderer: renderer === '' ? null : renderer }
}

function listOf(value: string | null | readonly string[]): readonly string[] {
  return value === null ? [] : typeof value === 'string' ? [value] : value
}

function addTo(sets: Map<string, Bitset>, value: string, id: number): void {
  const known = sets.get(value) ?? new Bitset()
  known.add(id)
  sets.set(value, known)
}

function grown<Numbers extends Float64Array | Uint8Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from)
  return into
}
