import type { FileHandle } from 'node:fs/promises'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import type { ContentsEntry } from '../../lib/zip/contents.ts'
import type { PackedBlock } from '../pack/zip-spool.ts'

const READ_SIZE = 1024 ** 2

interface ReadOptions {
  signal: AbortSignal
  onBytes?: (count: number) => void
}

/** SHA-256 of a file that is read from front to back, parts of it perhaps more than once. */
export class FileChecksum {
  readonly #hasher = new Bun.CryptoHasher('sha256')
  #digest: string | null = null
  #size = 0

  /** Skips what was hashed before: a chunk that failed is read again. */
  add(bytes: Uint8Array, at: number): void {
    const known = this.#size - at
    if (known < 0) throw new Error('The bytes before these were not hashed')
    if (known >= bytes.length) return
    this.#hasher.update(bytes.subarray(known))
    this.#size = at + bytes.length
  }

  /** Hashes everything before `end` that is not hashed yet. */
  async readTo(end: number, handle: FileHandle, { signal, onBytes }: ReadOptions): Promise<void> {
    const buffer = Buffer.allocUnsafe(Math.min(READ_SIZE, Math.max(0, end - this.#size)))
    while (this.#size < end) {
      signal.throwIfAborted()
      const at = this.#size
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at), at)
      if (bytesRead === 0) return
      this.add(buffer.subarray(0, bytesRead), at)
      onBytes?.(bytesRead)
    }
  }

  /** In hex. Can be called more than once. */
  digest(): string {
    return (this.#digest ??= this.#hasher.digest('hex'))
  }
}

/** Bytes of the new zip: sent, or copied from the base at `from`. */
export interface Segment {
  at: number
  length: number
  from: number | null
}

/** A file of the new zip and the place of its packed bytes. */
export interface PlacedEntry {
  path: string
  size: number
  /** Null where the SHA-256 of its blocks say the same. */
  sha256: string | null
  blocks?: PackedBlock[]
  at: number
  length: number
}

export interface NewZip {
  entries: readonly PlacedEntry[]
  size: number
  /** Whether it was made here; headers of other zips may differ for the same files. */
  isPacked: boolean
}

/** Copying less is not worth its own request. */
const COPY_MIN = 64 * 1024
const HEADER_SIZE = 30
const WIDE_FIELD_SIZE = 20
const WIDE = 2 ** 32 - 1

export function sendAll(size: number): Segment[] {
  return [{ at: 0, length: size, from: null }]
}

/**
 * Finds the bytes of the new zip in the base. Assumes that the same content was packed into the same bytes; if
 * not, the checksum of the finished file will not match.
 */
export function planSegments({ entries, size, isPacked }: NewZip, base: readonly ContentsEntry[]): Segment[] {
  const copies = joinNeighbours(findCopies(entries, base), isPacked).filter(
    ({ length }) => length >= COPY_MIN,
  )
  const segments: Segment[] = []
  let end = 0
  for (const { at, length, from } of copies) {
    if (at > end) segments.push({ at: end, length: at - end, from: null })
    segments.push({ at, length, from })
    end = at + length
  }
  if (end < size) segments.push({ at: end, length: size - end, from: null })
  return segments
}

export function sizeOfSent(segments: readonly Segment[]): number {
  return segments.reduce((sum, { from, length }) => (from === null ? sum + length : sum), 0)
}

interface Copy extends Segment {
  from: number
  /** The file whose header before these bytes is the same in the base. */
  headerOf: PlacedEntry | null
}

function findCopies(entries: readonly PlacedEntry[], base: readonly ContentsEntry[]): Copy[] {
  const byContent = new Map(base.flatMap((entry) => contentsOf(entry).map((content) => [content, entry])))
  const samePath = new Map(base.map((entry) => [entry.path, entry]))
  const blocks = new Map(base.flatMap(placeBlocks))
  return entries.flatMap((entry): Copy[] => {
    const contents = contentsOf(entry)
    const before = samePath.get(entry.path)
    const isSame = before && contentsOf(before).some((content) => contents.includes(content))
    const known = isSame ? before : contents.map((content) => byContent.get(content)).find(Boolean)
    if (known?.packed === entry.length) {
      const headerOf = known.path === entry.path ? entry : null
      return entry.length === 0 ? [] : [{ at: entry.at, length: entry.length, from: known.dataAt, headerOf }]
    }
    return copyBlocks(entry, blocks)
  })
}

/** The unchanged parts of a changed file. */
function copyBlocks(entry: PlacedEntry, known: ReadonlyMap<string, number>): Copy[] {
  const { at: dataAt, length: packed, blocks = [] } = entry
  return placeBlocks({ dataAt, packed, blocks }).flatMap(([key, at], index) => {
    const from = known.get(key)
    const length = blocks[index]?.packedSize ?? 0
    return from === undefined ? [] : [{ at, length, from, headerOf: null }]
  })
}

/** Where each block lies. The last one of a file is packed differently: it ends the stream. */
function placeBlocks({ dataAt, blocks }: Pick<ContentsEntry, 'dataAt' | 'packed' | 'blocks'>) {
  let at = dataAt
  return (blocks ?? []).map(({ sha256, packedSize }, index, all) => {
    const place = at
    at += packedSize
    return [`${sha256} ${packedSize} ${index === all.length - 1}`, place] as const
  })
}

/** Neighbours that are neighbours in the base too become one range, with the headers between them. */
function joinNeighbours(copies: readonly Copy[], isPacked: boolean): Copy[] {
  const joined: Copy[] = []
  for (const copy of copies) {
    const last = joined.at(-1)
    const gap = last ? copy.at - (last.at + last.length) : -1
    const isNeighbour = last && copy.from - (last.from + last.length) === gap
    const isKnown = gap === 0 || (isPacked && copy.headerOf && isHeaders(copy.headerOf, gap))
    if (last && isNeighbour && isKnown) last.length += gap + copy.length
    else joined.push({ ...copy })
  }
  return joined
}

/** Whether the gap holds the file's header and those of its nearest parents, and nothing else. */
function isHeaders({ path, size: fileSize }: PlacedEntry, gap: number): boolean {
  const parts = path.split('/').slice(0, -1)
  let size = HEADER_SIZE + Buffer.byteLength(path) + (fileSize >= WIDE ? WIDE_FIELD_SIZE : 0)
  while (size < gap && parts.length > 0) {
    size += HEADER_SIZE + Buffer.byteLength(`${parts.join('/')}/`)
    parts.pop()
  }
  return size === gap
}

/** Names for the content of a file: of two files with the same content at least one is the same. */
function contentsOf({
  size,
  sha256,
  blocks,
}: Pick<PlacedEntry, 'size' | 'sha256'> & { blocks?: PackedBlock[] | null }) {
  const names = sha256 === null ? [] : [`${size} ${sha256}`]
  if (blocks?.length) names.push(sha256Hex(blocks.map((block) => block.sha256).join(' ')))
  return names
}
