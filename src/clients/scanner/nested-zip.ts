import { type BlockReader, createBlockReader } from '../../lib/zip/block-reader.ts'
import { listReadable, type ZipEntry } from '../../lib/zip/directory.ts'
import type { UnpackBudget } from './scanner.ts'

const MB = 1024 ** 2
/** Buffered in memory while its entries are scanned; of a larger zip only the raw bytes are scanned. */
const SIZE_MAX = 32 * MB
/** Limits how much it may unpack to, because nested zips could otherwise cost unlimited work. */
const RATIO_MAX = 20
const FREE = MB
const MAGIC = Buffer.from('PK\u0003\u0004')

export interface OpenedZip {
  reader: BlockReader
  entries: readonly ZipEntry[]
}

/**
 * Buffers a file while it is scanned, as long as it may be a zip worth scanning inside. Its entry names and
 * gaps are not validated: it is content, and its raw bytes are scanned as well.
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

  /** Null when it is not a zip, or would take too much work to unpack. */
  async open(budget?: UnpackBudget): Promise<OpenedZip | null> {
    if (!this.#pieces || this.#size < MAGIC.length) return null
    const [size, bytes] = [this.#size, Buffer.concat(this.#pieces)]
    const reader = createBlockReader({ size, read: async (start, end) => bytes.subarray(start, end) })
    const entries = await listReadable(reader)
    const total = entries.reduce((sum, entry) => sum + entry.size, 0)
    if (total > FREE + size * RATIO_MAX || (budget && total > budget.bytes)) return null
    if (budget) budget.bytes -= total
    return { reader, entries }
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
