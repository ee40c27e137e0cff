import { type BlockReader, createBlockReader } from '../../lib/zip/block-reader.ts'
import { listReadable, type ZipEntry } from '../../lib/zip/directory.ts'

const MB = 1024 ** 2
/** Kept in memory while its entries are looked at; a larger one is only seen from outside. */
const SIZE_MAX = 32 * MB
/** What it may unpack to, as zips in a zip could otherwise cost any amount of work. */
const RATIO_MAX = 20
const FREE = MB
const MAGIC = Buffer.from('PK\u0003\u0004')

export interface OpenedZip {
  reader: BlockReader
  entries: readonly ZipEntry[]
}

/**
 * Collects a file as it passes by, for as long as it may be a zip to look into. Such a zip is content: its names and
 * gaps are its own affair, and its raw bytes are scanned as well.
 */
export class NestedZip {
  #pieces: Uint8Array[] | null = []
  #size = 0

  keep(piece: Uint8Array): void {
    if (!this.#pieces) return
    this.#pieces.push(piece)
    this.#size += piece.length
    if (this.#size > SIZE_MAX || !this.#mayBeZip(this.#pieces)) this.#pieces = null
  }

  /** null when it is no zip, or not one worth the work: then it is content like any other. */
  async open(): Promise<OpenedZip | null> {
    if (!this.#pieces || this.#size < MAGIC.length) return null
    const [size, bytes] = [this.#size, Buffer.concat(this.#pieces)]
    const reader = createBlockReader({ size, read: async (start, end) => bytes.subarray(start, end) })
    const entries = await listReadable(reader)
    const total = entries.reduce((sum, entry) => sum + entry.size, 0)
    return total > FREE + size * RATIO_MAX ? null : { reader, entries }
  }

  #mayBeZip(pieces: readonly Uint8Array[]): boolean {
    if (pieces.length > MAGIC.length) return true
    const head = Buffer.concat(pieces.map((piece) => piece.subarray(0, MAGIC.length))).subarray(
      0,
      MAGIC.length,
    )
    return head.equals(MAGIC.subarray(0, head.length))
  }
}
