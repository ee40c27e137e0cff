import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } from 'yauzl'

import type { BlockReader } from './block-reader.ts'
import { PATHS_MAX, PathSet, requireSafePath, tooMany } from './paths.ts'
import { quoteName, ZipError } from './zip-error.ts'

export interface ZipEntry {
  path: string
  isFolder: boolean
  isDeflated: boolean
  packedSize: number
  size: number
  crc: number
  /** Where its local header begins, and where the next part of the zip does. */
  offset: number
  until: number
  /** The name's bytes, for the comparison with the local header. */
  rawName: Uint8Array
}

export const LOCAL_HEADER_SIZE = 30
const END_SIZE = 22
const END = 0x0605_4b50
const END_64 = 0x0606_4b50
/** A field of the old end record that leaves the answer to the 64-bit one. */
const IN_64 = { short: 0xffff, long: 0xffff_ffff }

const STORED = 0
const DEFLATED = 8
const FILE_TYPE = 0o170_000
const SYMLINK = 0o120_000

/** What the zip says it holds, in the order of the bytes; nothing of it is unpacked. Throws `ZipError` for what we refuse. */
export async function readDirectory(reader: BlockReader): Promise<ZipEntry[]> {
  const access = new DirectoryReader(reader)
  try {
    return await listEntries(reader, access)
  } catch (error) {
    if (access.failure) throw access.failure
    if (error instanceof ZipError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ZipError(
      reason.startsWith('End of central directory')
        ? 'The file is not a zip, or it is cut off.'
        : `The zip is damaged: ${reason}`,
    )
  }
}

async function listEntries(reader: BlockReader, access: DirectoryReader): Promise<ZipEntry[]> {
  const zip = await fromRandomAccessReaderPromise(access, reader.size, {
    autoClose: false,
    decodeStrings: false,
  })
  if (zip.entryCount > PATHS_MAX) throw tooMany()
  const start = Number(zip.readEntryCursor)
  const paths = new PathSet()
  const entries: ListedEntry[] = []
  for await (const raw of zip.eachEntry()) {
    const entry = readEntry(raw)
    paths.add(entry.path)
    entries.push(entry)
  }
  await requireOneView(reader, {
    start,
    end: Number(zip.readEntryCursor),
    count: zip.entryCount,
    commentSize: zip.comment.length,
  })
  return placeEntries(entries, start)
}

type ListedEntry = Omit<ZipEntry, 'until'>

function readEntry(raw: Entry): ListedEntry {
  const { generalPurposeBitFlag: flags, compressionMethod: method, fileNameRaw } = raw
  // Some programs take the plain name, others the Unicode one beside it: both must be harmless.
  requireSafePath(getFileNameLowLevel(flags, fileNameRaw, [], true))
  const path = getFileNameLowLevel(flags, fileNameRaw, raw.extraFields, true)
  requireSafePath(path)
  if (((raw.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK) {
    throw new ZipError(`${quoteName(path)} is a symbolic link; pack the file itself.`)
  }
  if (raw.isEncrypted()) throw new ZipError(`${quoteName(path)} is encrypted; zip it without a password.`)
  if (method !== STORED && method !== DEFLATED) {
    throw new ZipError(
      `${quoteName(path)} is packed by method ${method}; only "store" and "deflate" are taken.`,
    )
  }
  const isFolder = path.endsWith('/')
  if (isFolder && raw.uncompressedSize > 0) throw new ZipError(`${quoteName(path)} is a folder with content.`)
  return {
    path,
    isFolder,
    isDeflated: method === DEFLATED,
    packedSize: raw.compressedSize,
    size: raw.uncompressedSize,
    crc: raw.crc32,
    offset: raw.relativeOffsetOfLocalHeader,
    // A copy: the original holds on to comment and extra fields.
    rawName: Uint8Array.from(fileNameRaw),
  }
}

interface Extent {
  start: number
  end: number
  count: number
  commentSize: number
}

/** Unpackers find the directory in different ways. All of them must find the one that was read here. */
async function requireOneView(
  reader: BlockReader,
  { start, end, count, commentSize }: Extent,
): Promise<void> {
  const endAt = reader.size - END_SIZE - commentSize
  const record = Buffer.from(await reader.read(endAt, END_SIZE))
  const after = end + 4 <= reader.size ? Buffer.from(await reader.read(end, 4)).readUInt32LE() : 0
  const says = (value: number, real: number, in64: number) =>
    value === real || (value === in64 && after === END_64)
  const isOne =
    (after === END ? end === endAt : after === END_64) &&
    says(record.readUInt16LE(8), count, IN_64.short) &&
    says(record.readUInt16LE(10), count, IN_64.short) &&
    says(record.readUInt32LE(12), end - start, IN_64.long) &&
    says(record.readUInt32LE(16), start, IN_64.long)
  if (!isOne) throw new ZipError('The zip is damaged: its directory is not what its end says.')
}

/** In the order of their bytes. Entries that share bytes are how small zips grow without end. */
function placeEntries(listed: ListedEntry[], directoryStart: number): ZipEntry[] {
  listed.sort((a, b) => a.offset - b.offset)
  return listed.map((entry, index) => {
    const until = listed[index + 1]?.offset ?? directoryStart
    const end = entry.offset + LOCAL_HEADER_SIZE + entry.rawName.length + entry.packedSize
    if (end > until) throw new ZipError(`${quoteName(entry.path)} overlaps with other parts of the zip.`)
    return { ...entry, until }
  })
}

/** Tells what the source failed at from what the zip is at fault for. */
class DirectoryReader extends RandomAccessReader {
  failure: Error | null = null
  readonly #reader: BlockReader

  constructor(reader: BlockReader) {
    super()
    this.#reader = reader
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    void this.#answer(buffer.subarray(offset, offset + length), position, callback)
  }

  async #answer(target: Buffer, position: number, callback: (error: Error | null) => void): Promise<void> {
    callback(await this.#fill(target, position))
  }

  async #fill(target: Buffer, position: number): Promise<Error | null> {
    if (position + target.length > this.#reader.size) return new Error('it ends too early')
    try {
      target.set(await this.#reader.read(position, target.length))
      return null
    } catch (error) {
      return (this.failure = error instanceof Error ? error : new Error(String(error)))
    }
  }
}
