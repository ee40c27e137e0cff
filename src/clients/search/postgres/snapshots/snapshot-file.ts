import { type FileHandle, open, rename, rm } from 'node:fs/promises'

/** Increase when the sections change: a file of another format is ignored. */
const FORMAT = 4
const MAGIC = 'playshelf search index\n'
/** The length of the header, as text. */
const LENGTH_DIGITS = 10
/** Pieces this small are copied and hashed within a millisecond. */
const PIECE_BYTES = 2 * 1024 ** 2
const HASH_BYTES = 8
export const DRAFT_ENDING = '.draft'

/** The bytes of one array. */
export type Section = ArrayBufferView
/** Reads the next section, in the order in which they were saved. */
export type NextSection = () => Promise<ArrayBuffer>

export interface SnapshotHeader {
  /** The installation whose documents these are. */
  installation: string
  /** Documents of later versions are not included. */
  version: number
}

interface WrittenHeader extends SnapshotHeader {
  format: number
  /** The length of each section in bytes. */
  lengths: number[]
}

/** The file is damaged, or of another format or installation. */
export class UnusableSnapshot extends Error {}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function jsonSection(value: unknown): Section {
  return encoder.encode(JSON.stringify(value))
}

export async function readJson<Value>(next: NextSection): Promise<Value> {
  return JSON.parse(decoder.decode(await next())) as Value
}

/** Replaces the file at once when it is complete. Arrays may change meanwhile: each piece is copied first. */
export async function writeSnapshot(
  path: string,
  header: SnapshotHeader,
  sections: readonly Section[],
): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}${DRAFT_ENDING}`
  try {
    await using file = await open(draft, 'wx', 0o600)
    const lengths = sections.map(({ byteLength }) => byteLength)
    const text = JSON.stringify({ ...header, format: FORMAT, lengths } satisfies WrittenHeader)
    const bytes = encoder.encode(text)
    await file.write(encoder.encode(MAGIC + String(bytes.length).padStart(LENGTH_DIGITS)))
    await file.write(bytes)
    let hash = Bun.hash.xxHash64(bytes)
    const piece = new Uint8Array(PIECE_BYTES)
    for (const { buffer, byteOffset, byteLength } of sections) {
      for (let offset = 0; offset < byteLength; offset += PIECE_BYTES) {
        const length = Math.min(PIECE_BYTES, byteLength - offset)
        const copy = piece.subarray(0, length)
        copy.set(new Uint8Array(buffer, byteOffset + offset, length))
        hash = Bun.hash.xxHash64(copy, hash)
        await file.write(copy)
      }
    }
    await file.write(new BigUint64Array([hash]))
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** A snapshot that is being read. Its content counts only once it is verified. */
export class SnapshotFile implements AsyncDisposable {
  private index = 0

  private constructor(
    private readonly file: FileHandle,
    readonly header: WrittenHeader,
    private hash: bigint,
  ) {}

  /** Throws UnusableSnapshot, or an error of the file system. */
  static async open(path: string): Promise<SnapshotFile> {
    const file = await open(path)
    try {
      const start = decoder.decode(await readBytes(file, MAGIC.length + LENGTH_DIGITS))
      if (!start.startsWith(MAGIC)) throw new UnusableSnapshot('it is another kind of file')
      const length = Number(start.slice(MAGIC.length))
      const { size } = await file.stat()
      if (!(length <= size)) throw new UnusableSnapshot('it is incomplete')
      const bytes = await readBytes(file, length)
      const header = JSON.parse(decoder.decode(bytes)) as WrittenHeader
      if (header.format !== FORMAT) throw new UnusableSnapshot('it has another format')
      const expected = header.lengths.reduce((sum, next) => sum + next, start.length + length + HASH_BYTES)
      if (size !== expected) throw new UnusableSnapshot('it is incomplete')
      return new SnapshotFile(file, header, Bun.hash.xxHash64(bytes))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  readonly next: NextSection = async () => {
    const bytes = new Uint8Array(this.header.lengths[this.index] ?? 0)
    this.index += 1
    for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
      const piece = bytes.subarray(offset, offset + PIECE_BYTES)
      await fill(this.file, piece)
      this.hash = Bun.hash.xxHash64(piece, this.hash)
    }
    return bytes.buffer
  }

  /** Call after the last section. */
  async verify(): Promise<void> {
    const [written] = new BigUint64Array((await readBytes(this.file, HASH_BYTES)).buffer)
    if (written !== this.hash) throw new UnusableSnapshot('it is damaged')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file.close()
  }
}

async function readBytes(file: FileHandle, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  await fill(file, bytes)
  return bytes
}

async function fill(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let filled = 0; filled < bytes.length;) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled)
    if (bytesRead === 0) throw new UnusableSnapshot('it is incomplete')
    filled += bytesRead
  }
}
