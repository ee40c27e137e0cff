import { promisify } from 'node:util'
import { constants, inflateRaw } from 'node:zlib'

import { sha256Hex } from '../bytes/hash.ts'
import { decodeBlocks, type ZipBlock } from './block-field.ts'
import type { BlockReader } from './block-reader.ts'
import type { ZipEntry } from './directory.ts'

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

  /** Null where the entry has no blocks, or not those it says. Known after its whole content was passed on. */
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
