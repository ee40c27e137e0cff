import { NO_ANTIVIRUS } from '../../domain/builds/files.ts'
import { type BlockReader, createBlockReader } from '../../lib/zip/block-reader.ts'
import { listReadable, type ZipEntry } from '../../lib/zip/directory.ts'
import { readContent } from '../../lib/zip/entry-stream.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import type { Denylist } from './denylist.ts'
import type { Scanner, UnpackBudget, Verdict } from './scanner.ts'

/** Reversed, so that virus scanners do not detect this program as the test file. */
const EICAR = Buffer.from('*H+H$!ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X').reverse()

const CLEAN: Verdict = { verdict: 'clean', detail: null }
const DENIED: Verdict = { verdict: 'infected', detail: 'A file on the deny list of this service' }
const TEST_FILE: Verdict = { verdict: 'infected', detail: 'EICAR test file' }

/** Detects the EICAR test file and files on the deny list, also in nested zips, one level deep. */
export function createBuiltinScanner(denylist: Denylist): Scanner {
  return {
    readEngine: () => Promise.resolve(NO_ANTIVIRUS),
    async scan(content, { signal, nested: budget } = {}) {
      const denied = await denylist.read()
      const nested = new NestedZip()
      const outside = await look(content, denied, (piece) => {
        signal?.throwIfAborted()
        nested.keep(piece)
      })
      return outside.verdict === 'infected'
        ? outside
        : await lookInto(await nested.open(budget), denied, signal)
    },
    async findKnown(sha256) {
      return (await denylist.read()).has(sha256) ? DENIED : null
    },
    async check() {
      await denylist.read()
    },
    async dispose() {},
  }
}

async function look(
  content: AsyncIterable<Uint8Array>,
  denied: ReadonlySet<string>,
  onPiece: (piece: Uint8Array) => void,
): Promise<Verdict> {
  const holdsEicar = createPatternFinder(EICAR)
  const hasher = denied.size > 0 ? new Bun.CryptoHasher('sha256') : null
  for await (const piece of content) {
    onPiece(piece)
    if (holdsEicar(piece)) return TEST_FILE
    hasher?.update(piece)
  }
  return hasher && denied.has(hasher.digest('hex')) ? DENIED : CLEAN
}

async function lookInto(
  zip: OpenedZip | null,
  denied: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Verdict> {
  if (!zip) return CLEAN
  for (const entry of zip.entries) {
    try {
      const found = await look(readContent(zip.reader, entry), denied, () => signal?.throwIfAborted())
      if (found.verdict === 'infected') return found
    } catch (error) {
      // A damaged entry cannot be unpacked by anyone else either.
      if (!(error instanceof ZipError)) throw error
    }
  }
  return CLEAN
}

const MB = 1024 ** 2
/** Buffered in memory while its entries are scanned; of a larger zip only the raw bytes are scanned. */
const SIZE_MAX = 32 * MB
/** Limits how much it may unpack to, because nested zips could otherwise cost unlimited work. */
const RATIO_MAX = 20
const FREE = MB
const MAGIC = Buffer.from('PK\u0003\u0004')

interface OpenedZip {
  reader: BlockReader
  entries: readonly ZipEntry[]
}

/**
 * Buffers a file while it is scanned, as long as it may be a zip worth scanning inside. Its entry names and
 * gaps are not validated: it is content, and its raw bytes are scanned as well.
 */
class NestedZip {
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

/** Searches a stream for bytes, including matches that span several pieces. */
function createPatternFinder(pattern: Buffer): (piece: Uint8Array) => boolean {
  const reach = pattern.length - 1
  let tail = Buffer.alloc(0)
  return (piece) => {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    const border = Buffer.concat([tail, bytes.subarray(0, reach)])
    if (border.includes(pattern) || bytes.includes(pattern)) return true
    tail = bytes.length < reach ? border.subarray(-reach) : Buffer.from(bytes.subarray(-reach))
    return false
  }
}
