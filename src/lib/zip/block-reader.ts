import { BoundedCache } from '../cache/bounded-cache.ts'

/** Bytes with random access, such as a stored object or a buffer. */
export interface ByteSource {
  readonly size: number
  /** Returns the bytes from `start` up to, but not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>
}

export interface BlockReader {
  readonly size: number
  /** For a few bytes. Rejects only when the source fails. */
  read(start: number, length: number): Promise<Uint8Array>
  /** For many bytes, in pieces; the next block is fetched while the current one is used. */
  stream(start: number, length: number): AsyncGenerator<Uint8Array>
}

const BLOCK_SIZE = 4 * 1024 ** 2
/** The current block, the previous one and the next. */
const MAX_BLOCKS = 3

/**
 * Reads whole blocks and caches the last ones, so that many small reads need few requests and little memory.
 */
export function createBlockReader(source: ByteSource, blockSize = BLOCK_SIZE): BlockReader {
  const { size } = source
  const blocks = new BoundedCache<Promise<Uint8Array>>({ maxEntries: MAX_BLOCKS })

  function fetchBlock(index: number): Promise<Uint8Array> {
    const key = String(index)
    const known = blocks.get(key)
    if (known) return known
    const start = index * blockSize
    const block = source.read(start, Math.min(size, start + blockSize))
    blocks.set(key, block)
    // A failed read can be retried.
    block.catch(() => blocks.delete(key))
    return block
  }

  async function* stream(start: number, length: number): AsyncGenerator<Uint8Array> {
    const end = start + length
    for (let at = start; at < end;) {
      const index = Math.floor(at / blockSize)
      const block = fetchBlock(index)
      if ((index + 1) * blockSize < end) void fetchBlock(index + 1)
      const from = at - index * blockSize
      const piece = (await block).subarray(from, from + end - at)
      if (piece.length === 0) throw new Error('The source holds fewer bytes than it said')
      at += piece.length
      yield piece
    }
  }

  async function read(start: number, length: number): Promise<Uint8Array> {
    const from = start % blockSize
    if (from + length <= blockSize) {
      return (await fetchBlock(Math.floor(start / blockSize))).subarray(from, from + length)
    }
    const bytes = new Uint8Array(length)
    let at = 0
    for await (const piece of stream(start, length)) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }

  return { size, read, stream }
}
