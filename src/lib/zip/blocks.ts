import { promisify } from 'node:util'
import { constants, inflateRaw } from 'node:zlib'

import { sha256Hex } from '../bytes/hash.ts'
import { ByteReader, ByteWriter, MalformedBytes } from '../bytes/varints.ts'
import type { BlockReader } from './block-reader.ts'
import type { ZipEntry } from './directory.ts'

/** A part of an entry whose packed bytes can be unpacked without those before it. */
export interface ZipBlock {
  size: number
  packedSize: number
}

const VERSION = 1
/** Added to every number, so that no number is a single byte: "PK", the mark of zip parts, can never appear. */
const OFFSET = 0x80
/** An extra field holds at most 65,535 bytes, of which the 64-bit sizes and the headers of both fields need a part. */
const FIELD_BYTES_MAX = 2 ** 16 - 1 - 64

/** All blocks but the last are at least this large, and all at most that. */
const BLOCK_SIZE_MIN = 16 * 1024
const BLOCK_SIZE_MAX = 16 * 1024 ** 2
/** How much larger than its content the packed form of a block may be. */
const PACKED_EXCESS_MAX = 64 * 1024

/**
 * Writes the field's content: a version, then the size and packed size of each block but the last, which has the rest.
 * Null for a single block, and where the field would become too long.
 */
export function encodeBlocks(blocks: readonly ZipBlock[]): Buffer | null {
  if (blocks.length < 2) return null
  const writer = new ByteWriter()
  writer.varint(VERSION)
  for (const { size, packedSize } of blocks.slice(0, -1)) {
    writer.varint(size + OFFSET)
    writer.varint(packedSize + OFFSET)
    if (writer.length > FIELD_BYTES_MAX) return null
  }
  return writer.finish()
}

/** Null if the field does not describe blocks of an entry of this size. Whether they can be unpacked is not checked. */
export function decodeBlocks(field: Uint8Array, { size, packedSize }: ZipBlock): ZipBlock[] | null {
  const blocks: ZipBlock[] = []
  const rest = { size, packedSize }
  try {
    const reader = new ByteReader(field)
    if (reader.varint() !== VERSION) return null
    while (!reader.isAtEnd) {
      const block = { size: reader.varint() - OFFSET, packedSize: reader.varint() - OFFSET }
      if (block.size < BLOCK_SIZE_MIN || !isPossible(block)) return null
      rest.size -= block.size
      rest.packedSize -= block.packedSize
      blocks.push(block)
    }
  } catch (error) {
    if (error instanceof MalformedBytes) return null
    throw error
  }
  return blocks.length > 0 && isPossible(rest) ? [...blocks, rest] : null
}

function isPossible({ size, packedSize }: ZipBlock): boolean {
  return size > 0 && size <= BLOCK_SIZE_MAX && packedSize > 0 && packedSize <= size + PACKED_EXCESS_MAX
}

/** A block that was unpacked on its own, with the SHA-256 of its content. */
export interface HashedBlock extends ZipBlock {
  sha256: string
}

/** The smallest that zlib takes. */
const CHUNK_MIN = constants.Z_MIN_CHUNK

const inflate = promisify<Uint8Array, object, Buffer>(inflateRaw)

/**
 * Checks the blocks that an entry says it has: unpacked alone, each must be the same bytes as in the whole entry. A wrong
 * one only means that the entry has no blocks.
 */
export class BlockCheck {
  readonly #blocks: ZipBlock[] | null
  readonly #checked: HashedBlock[] = []
  #isWrong = false

  /** `start`: where the packed bytes of the entry begin. */
  constructor(
    private readonly reader: BlockReader,
    private readonly entry: ZipEntry,
    private readonly start: number,
  ) {
    this.#blocks = entry.blockField && decodeBlocks(entry.blockField, entry)
  }

  /** Null if the entry has no blocks, or its field is wrong. Known once its whole content was passed on. */
  get blocks(): HashedBlock[] | null {
    return this.#isWrong || this.#checked.length !== this.#blocks?.length ? null : this.#checked
  }

  /** Passes the unpacked content of the entry on. */
  async *watch(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    if (!this.#blocks) {
      yield* content
      return
    }
    const alone = this.#unpackAll(this.#blocks)
    let expected: Uint8Array = new Uint8Array()
    for await (const piece of content) {
      for (let at = 0; at < piece.length && !this.#isWrong;) {
        if (expected.length === 0) expected = (await alone.next()).value ?? expected
        const length = Math.min(expected.length, piece.length - at)
        if (length === 0 || !this.#isSame(expected, piece.subarray(at, at + length))) this.#isWrong = true
        expected = expected.subarray(length)
        at += length
      }
      yield piece
    }
    if (expected.length > 0) this.#isWrong = true
  }

  /** A stored block has no other form: it is the content. */
  #isSame(block: Uint8Array, content: Uint8Array): boolean {
    return !this.entry.isDeflated || Buffer.compare(block.subarray(0, content.length), content) === 0
  }

  async *#unpackAll(blocks: readonly ZipBlock[]): AsyncGenerator<Uint8Array, undefined> {
    let at = this.start
    for (const block of blocks) {
      const content = await unpackBlock(await this.reader.read(at, block.packedSize), block, this.entry)
      if (!content) return
      this.#checked.push({ ...block, sha256: sha256Hex(content) })
      yield content
      at += block.packedSize
    }
  }
}

/** Unpacks a block alone. Null if it is not what its sizes say. */
export async function unpackBlock(
  packed: Uint8Array,
  { size }: ZipBlock,
  { isDeflated }: Pick<ZipEntry, 'isDeflated'>,
): Promise<Uint8Array | null> {
  if (!isDeflated) return packed.length === size ? packed : null
  try {
    // One spare byte reveals a block that is larger than it says. Blocks end without the mark of a stream's end.
    const content = await inflate(packed, {
      maxOutputLength: size + 1,
      chunkSize: Math.max(CHUNK_MIN, size + 1),
      finishFlush: constants.Z_SYNC_FLUSH,
    })
    return content.length === size ? content : null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') return null
    throw error
  }
}
