import type { PackedBlock, PackedEntry } from '../pack/zip-spool.ts'

/** Bytes of the new zip: sent, or copied from the base at `from`. */
export interface Segment {
  at: number
  length: number
  from: number | null
}

export type BaseEntry = Pick<PackedEntry, 'path' | 'size' | 'sha256' | 'at' | 'length'>

export interface PlacedEntry extends BaseEntry {
  /** Set where headers may differ between zips of the same files; only the bytes after it are copied. */
  headerSize?: number
  blocks?: PackedBlock[]
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
export function planSegments(
  entries: readonly PlacedEntry[],
  base: readonly BaseEntry[],
  size: number,
  blocks: readonly PackedBlock[] = [],
): Segment[] {
  const copies = bridgeFolders(entries, findCopies(entries, base, blocks)).filter(
    ({ length }) => length >= COPY_MIN,
  )
  const segments: Segment[] = []
  let end = 0
  for (const copy of copies) {
    if (copy.at > end) segments.push({ at: end, length: copy.at - end, from: null })
    segments.push(copy)
    end = copy.at + copy.length
  }
  if (end < size) segments.push({ at: end, length: size - end, from: null })
  return segments
}

export function sizeOfSent(segments: readonly Segment[]): number {
  return segments.reduce((sum, { from, length }) => (from === null ? sum + length : sum), 0)
}

interface Copy extends Segment {
  from: number
}

function findCopies(
  entries: readonly PlacedEntry[],
  base: readonly BaseEntry[],
  blocks: readonly PackedBlock[],
): Copy[] {
  const byPath = new Map(base.map((entry) => [entry.path, entry]))
  const byContent = new Map(base.map((entry) => [contentOf(entry), entry]))
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  return entries.flatMap((entry): Copy[] => {
    const same = byPath.get(entry.path)
    if (same && same.length === entry.length && contentOf(same) === contentOf(entry)) {
      const skip = entry.headerSize ?? 0
      return [{ at: entry.at + skip, length: entry.length - skip, from: same.at + skip }]
    }
    if (entry.headerSize !== undefined) return []
    const moved = byContent.get(contentOf(entry))
    return moved ? copyContent(entry, moved) : copyBlocks(entry, byHash)
  })
}

/** The unchanged parts of a changed file. */
function copyBlocks({ blocks = [] }: PlacedEntry, known: ReadonlyMap<string, PackedBlock>): Copy[] {
  return blocks.flatMap(({ hash, at, length }) => {
    const block = known.get(hash)
    return block?.length === length ? [{ at, length, from: block.at }] : []
  })
}

/** A renamed file has another header, but the same packed bytes after it. */
function copyContent(entry: BaseEntry, moved: BaseEntry): Copy[] {
  const [skip, skipMoved] = [headerSize(entry), headerSize(moved)]
  const length = entry.length - skip
  if (length <= 0 || moved.length - skipMoved !== length) return []
  return [{ at: entry.at + skip, length, from: moved.at + skipMoved }]
}

/** Neighbours that are neighbours in the base too become one range, with the folders between them. */
function bridgeFolders(entries: readonly BaseEntry[], copies: readonly Copy[]): Copy[] {
  const paths = new Map(entries.map(({ at, path }) => [at, path]))
  const joined: Copy[] = []
  for (const copy of copies) {
    const last = joined.at(-1)
    const gap = last ? copy.at - (last.at + last.length) : -1
    const isNeighbour = last && copy.from - (last.from + last.length) === gap
    if (last && isNeighbour && gap === parentHeaders(paths.get(copy.at), gap)) {
      last.length += gap + copy.length
    } else joined.push({ ...copy })
  }
  return joined
}

/** The size of the headers of the nearest parents that fit into the gap. */
function parentHeaders(path: string | undefined, gap: number): number {
  const parts = path?.split('/').slice(0, -1) ?? []
  let size = 0
  while (size < gap && parts.length > 0) {
    size += HEADER_SIZE + Buffer.byteLength(`${parts.join('/')}/`)
    parts.pop()
  }
  return size
}

function headerSize({ path, size }: BaseEntry): number {
  return HEADER_SIZE + Buffer.byteLength(path) + (size >= WIDE ? WIDE_FIELD_SIZE : 0)
}

function contentOf({ size, sha256 }: BaseEntry): string {
  return `${size} ${sha256}`
}
