import type { IndexedDocument } from '../../../../db/schema/search.ts'
import type { CompatRange } from '../../../../domain/listings/search-document.ts'
import type { NextSection, Section } from '../snapshots/snapshot-file.ts'
import { Packages } from '../write/packages.ts'
import { Bitset } from './bitset.ts'
import { ClosedFields } from './closed-fields.ts'
import { copyInto, grownLength } from './growth.ts'
import { InvertedLists, SMALLER_AS_SET } from './inverted-lists.ts'
import { NameOrder } from './name-order.ts'
import { NumberLists } from './number-lists.ts'
import { NumberedValues } from './numbered-values.ts'
import { SortedOrder } from './sorted-order.ts'
import { Uids } from './uids.ts'

/**
 * All documents by id, in the form that filters, counts and ranking need. Takes about 290 bytes per document.
 * Ids are dense, so each bitset needs one bit per document.
 */
export class Columns {
  readonly alive = new Bitset()
  readonly adult = new Bitset()
  readonly troubled = new Bitset()
  readonly closed = new ClosedFields()
  readonly tags = new NumberedValues()
  readonly engines = new NumberedValues()
  readonly languages = new NumberedValues()
  readonly compat = new NumberedValues()
  /** Usernames, and the names beside them with a mark. */
  readonly developers = new NumberedValues()
  /** Word ids of name and tagline, in order. */
  readonly name = new NumberLists()
  readonly tagline = new NumberLists()
  readonly packages = new Packages()
  readonly uids = new Uids()
  /** Timestamps, by id. */
  published = new Float64Array()
  updated = new Float64Array()
  /** Whole numbers, by id. */
  price = new Int32Array()
  popularity = new Int32Array()
  rated = new Int32Array()
  private readonly newestNext = { next: () => this.published, isLazy: true }
  readonly byPublished = new SortedOrder(() => this.published)
  readonly byUpdated = new SortedOrder(() => this.updated)
  readonly byPopularity = new SortedOrder(() => this.popularity, this.newestNext)
  readonly byRated = new SortedOrder(() => this.rated, this.newestNext)
  readonly byLowPrice = new SortedOrder(() => this.price, { ...this.newestNext, isAscending: true })
  readonly byHighPrice = new SortedOrder(() => this.price, this.newestNext)
  readonly byWords = new NameOrder(() => this)
  private readonly byName = new InvertedLists(this.name, SMALLER_AS_SET)
  private readonly byTagline = new InvertedLists(this.tagline, SMALLER_AS_SET)
  private readonly recent = new RecentSets()
  private ranges: readonly DeclaredRange[] | null = null
  /** The version that each document was last written with. */
  private versions = new Float64Array()
  /** 0 if not declared. */
  private players = new Uint8Array()

  /** Null removes the document. Returns whether filters or counts may give another result than before. */
  put(id: number, uid: string, document: IndexedDocument | null, version: number): boolean {
    for (const prepared of [this.byName, this.byTagline, ...this.orders]) prepared.markChanged(id)
    this.makeRoom(id)
    const isNew = !this.alive.has(id)
    this.uids.set(id, uid)
    this.versions[id] = version
    const published = document?.published_at ?? 0
    const isMoved = this.published[id] !== published
    this.published[id] = published
    this.updated[id] = document?.updated_at ?? 0
    // Documents that were indexed before these fields existed do not have them.
    const price = document?.price_cents ?? 0
    const isRepriced = this.price[id] !== price
    this.price[id] = price
    this.popularity[id] = document?.popularity ?? 0
    this.rated[id] = document?.rated ?? 0
    this.recent.set(id, document === null ? null : published)
    this.name.set(id, document?.name ?? [])
    this.tagline.set(id, document?.tagline ?? [])
    this.troubled.set(id, document?.health_penalty === 1)
    const changes = [
      isMoved,
      isRepriced,
      this.alive.set(id, document !== null),
      this.adult.set(id, document?.adult ?? false),
      this.setPlayers(id, document?.players_min ?? 0, document?.players_max ?? 0),
      this.closed.set(id, document, isNew),
      this.tags.set(id, document?.tags ?? []),
      this.engines.set(id, document?.engines ?? []),
      // Documents that were indexed by an earlier version have none.
      this.languages.set(id, (document as Partial<IndexedDocument> | null)?.languages ?? []),
      this.compat.set(id, document?.compat.map(writeRange) ?? []),
      this.developers.set(id, developerValues(document?.developer, document?.developer_name)),
      this.packages.set(id, uid, document),
    ]
    const isChanged = changes.includes(true)
    if (isChanged) this.ranges = null
    return isChanged
  }

  /** A field with any number of values. */
  openField(field: string): NumberedValues {
    if (field === 'tags') return this.tags
    if (field === 'developer') return this.developers
    return field === 'engines' ? this.engines : this.languages
  }

  /** The highest id plus one. */
  get size(): number {
    return this.uids.size
  }

  /** Rebuilds the prepared structures that lag far behind, yielding to the event loop. */
  async prepare(isBulk = false): Promise<void> {
    const { byName, byTagline, tags, engines, languages, compat, developers, orders } = this
    for (const prepared of [byName, byTagline, tags, engines, languages, compat, developers, ...orders]) {
      await prepared.prepare(this.size, isBulk)
    }
  }

  /** What was published at this time or later. The set is shared and must not be modified. */
  publishedSince(from: number): Bitset {
    return this.recent.find(from, this)
  }

  /** The matches that have any of the words in their name. */
  findNamed(wordIds: readonly number[], matches: Bitset): Bitset {
    return findAmong(this.byName, wordIds, matches)
  }

  /** The matches that have any of the words in their tagline. */
  findTaglined(wordIds: readonly number[], matches: Bitset): Bitset {
    return findAmong(this.byTagline, wordIds, matches)
  }

  /** The distinct ranges that listings declare. */
  listRanges(): readonly DeclaredRange[] {
    this.ranges ??= this.compat.list().map((written) => ({ written, range: parseRange(written) }))
    return this.ranges
  }

  supporting(count: number): Bitset {
    const { players, size } = this
    const found = this.alive.blank()
    for (let id = 0; id < size; id += 1) {
      const least = players[id * 2] ?? 0
      if (least > 0 && least <= count && count <= (players[id * 2 + 1] ?? 0)) found.add(id)
    }
    return found.and(this.alive)
  }

  costingAtMost(cents: number): Bitset {
    const { price, size } = this
    const found = this.alive.blank()
    for (let id = 0; id < size; id += 1) if ((price[id] ?? 0) <= cents) found.add(id)
    return found.and(this.alive)
  }

  /** How many documents there are, removed ones included, and the sum of their versions. */
  sumVersions(): { documents: number; versions: number } {
    let [documents, versions] = [0, 0]
    for (let id = 0; id < this.size; id += 1) {
      const version = this.versions[id] ?? 0
      if (version > 0) documents += 1
      versions += version
    }
    return { documents, versions }
  }

  /**
   * The sections can be written while documents change: these have later versions than the snapshot, so they are
   * read again, and everything about the others stays as it is.
   */
  save(): Section[] {
    const { size } = this
    return [
      ...this.uids.save(),
      ...[this.versions, this.published, this.updated].map((column) => column.subarray(0, size)),
      ...[this.price, this.popularity, this.rated].map((column) => column.subarray(0, size)),
      this.players.subarray(0, size * 2),
      ...[this.alive, this.adult, this.troubled].map((bits) => bits.save()),
      ...this.closed.save(),
      ...this.lists().flatMap((lists) => lists.save(size)),
      ...this.packages.save(),
    ]
  }

  /** The documents that changed since are left empty. */
  async restore(next: NextSection, changed: readonly number[]): Promise<void> {
    await this.uids.restore(next)
    this.versions = new Float64Array(await next())
    this.published = new Float64Array(await next())
    this.updated = new Float64Array(await next())
    this.price = new Int32Array(await next())
    this.popularity = new Int32Array(await next())
    this.rated = new Int32Array(await next())
    this.players = new Uint8Array(await next())
    for (const bits of [this.alive, this.adult, this.troubled]) await bits.restore(next)
    await this.closed.restore(next)
    for (const lists of this.lists()) await lists.restore(next, changed)
    await this.packages.restore(next)
    for (const id of changed) {
      if (id >= this.size) continue
      for (const bits of [this.alive, this.adult, this.troubled]) bits.delete(id)
      this.closed.set(id, null)
      this.versions[id] = 0
    }
  }

  private get orders(): readonly (SortedOrder | NameOrder)[] {
    const { byPublished, byUpdated, byPopularity, byRated, byLowPrice, byHighPrice, byWords } = this
    return [byPublished, byUpdated, byPopularity, byRated, byLowPrice, byHighPrice, byWords]
  }

  private lists() {
    return [this.tags, this.engines, this.languages, this.compat, this.developers, this.name, this.tagline]
  }

  private setPlayers(id: number, least: number, most: number): boolean {
    const { players } = this
    const isSame = players[id * 2] === least && players[id * 2 + 1] === most
    players[id * 2] = least
    players[id * 2 + 1] = most
    return !isSame
  }

  private makeRoom(id: number): void {
    if (id < this.published.length) return
    const length = grownLength(id + 1, this.published.length)
    this.published = copyInto(this.published, new Float64Array(length))
    this.updated = copyInto(this.updated, new Float64Array(length))
    this.versions = copyInto(this.versions, new Float64Array(length))
    this.price = copyInto(this.price, new Int32Array(length))
    this.popularity = copyInto(this.popularity, new Int32Array(length))
    this.rated = copyInto(this.rated, new Int32Array(length))
    this.players = copyInto(this.players, new Uint8Array(length * 2))
  }
}

function findAmong(lists: InvertedLists, numbers: readonly number[], matches: Bitset): Bitset {
  const found = matches.blank()
  lists.addTo(found, numbers, matches)
  return found.and(matches)
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

function parseRange(written: string): CompatRange {
  const [engine = '', min_version = '', max_version = '', renderer = ''] = written.split(' ')
  return { engine, min_version, max_version, renderer: renderer === '' ? null : renderer }
}

/** The mark before a developer's name, which is a value beside the username. */
const NAME_MARK = '\t'

/** The values of a document's developer. */
function developerValues(username = '', name: string | null = null): string[] {
  if (username === '') return []
  return name === null ? [username] : [username, NAME_MARK + name]
}

/** Searches ask for the same few times during each minute. */
const SETS_MAX = 8

interface Published {
  readonly alive: Bitset
  readonly published: Float64Array
  readonly size: number
}

/** What was published since a time. The last sets are kept up to date instead of being built for each search. */
class RecentSets {
  private readonly sets = new Map<number, Bitset>()

  /** Null: the document was removed. */
  set(id: number, published: number | null): void {
    for (const [from, found] of this.sets) found.set(id, published !== null && published >= from)
  }

  find(from: number, { alive, published, size }: Published): Bitset {
    const known = this.sets.get(from)
    if (known) return known
    const found = new Bitset(new Int32Array(Math.ceil(size / 32)))
    for (let id = 0; id < size; id += 1) if ((published[id] ?? 0) >= from && alive.has(id)) found.add(id)
    this.sets.set(from, found)
    const [oldest] = this.sets.keys()
    if (this.sets.size > SETS_MAX && oldest !== undefined) this.sets.delete(oldest)
    return found
  }
}
