import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

import { isSliceOver, nextSlice } from '../flow/loop-slices.ts'
import { plural } from '../text/show.ts'
import type { BlockReader } from './block-reader.ts'
import {
  type EntryNames,
  parseNames,
  PATHS_MAX,
  PathSet,
  requireSafePath,
  simplifyPath,
  tooMany,
} from './paths.ts'
import { hiddenBytes, holdsZipParts, quoteName, ZipError } from './zip-error.ts'

const END_SIZE = 22
const END = 0x0605_4b50
const END_64_SIZE = 56
const END_64 = 0x0606_4b50
const LOCATOR_SIZE = 20
const LOCATOR = 0x0706_4b50
/** The 64-bit record, its locator and the old record. */
const WIDE_SIZE = END_64_SIZE + LOCATOR_SIZE + END_SIZE
const ENTRY = 0x0201_4b50
/** Values in the old end record that refer to the 64-bit one. */
const IN_64 = { short: 0xffff, long: 0xffff_ffff }

/** Where the directory was found, and its number of entries. */
interface Extent {
  start: number
  end: number
  count: number
  comment: Buffer
}

/**
 * Unpackers find the directory in different ways. All of them must find the one that was read here, so
 * nothing but its end records may follow it.
 */
async function requireOneEnd(reader: BlockReader, extent: Extent): Promise<void> {
  const { start, end, count, comment } = extent
  const size = reader.size - comment.length - end
  const isWide = size === WIDE_SIZE
  if (size < END_SIZE) throw otherDirectory()
  const records = Buffer.from(await reader.read(end, isWide ? WIDE_SIZE : END_SIZE))
  const signature = records.readUInt32LE()
  if (signature === ENTRY) throw otherDirectory()
  if (signature !== (isWide ? END_64 : END) || (!isWide && size > END_SIZE)) {
    throw hiddenBytes('The zip has bytes between its directory and its end that belong to no file.')
  }
  const says = (value: number, real: number, in64: number) => value === real || (isWide && value === in64)
  const record = records.subarray(-END_SIZE)
  const agrees =
    says(record.readUInt16LE(8), count, IN_64.short) &&
    says(record.readUInt16LE(10), count, IN_64.short) &&
    says(record.readUInt32LE(12), end - start, IN_64.long) &&
    says(record.readUInt32LE(16), start, IN_64.long)
  if (!agrees || (isWide && !agrees64(records, extent))) throw otherDirectory()
  if (holdsZipParts(comment)) throw hiddenBytes('The comment of the zip holds parts of another zip.')
}

/** Checks the 64-bit record, without its unused extension, and the locator that points to it. */
function agrees64(records: Buffer, { start, end, count }: Extent): boolean {
  const locator = records.subarray(END_64_SIZE)
  const says = (at: number, value: number) => records.readBigUInt64LE(at) === BigInt(value)
  return (
    says(4, END_64_SIZE - 12) &&
    says(24, count) &&
    says(32, count) &&
    says(40, end - start) &&
    says(48, start) &&
    locator.readUInt32LE(0) === LOCATOR &&
    locator.readBigUInt64LE(8) === BigInt(end)
  )
}

function otherDirectory(): ZipError {
  return new ZipError('The zip is damaged: its directory is not what its end says.')
}

/** Lets yauzl read from blocks, and stores the error of a failed source. */
class YauzlReader extends RandomAccessReader {
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

export interface ZipEntry {
  path: string
  isFolder: boolean
  isDeflated: boolean
  flags: number
  packedSize: number
  size: number
  crc: number
  /** Type and permissions as on Unix; null where the zip does not tell. */
  mode: number | null
  /** Where the entry's local header begins, and where the next part of the zip does. */
  offset: number
  until: number
  /** The bytes of the name, compared with the local header. */
  rawName: Uint8Array
  /** Lists the parts that can be unpacked on their own; written by the packer and not yet checked. */
  blockField: Uint8Array | null
}

/** The id of the extra field that names an entry's blocks: "SB". It stands in the directory only. */
export const BLOCK_FIELD = 0x4253
export const LOCAL_HEADER_SIZE = 30
const STORED = 0
const DEFLATED = 8
/** The numbers of Unix and macOS in "version made by". */
const UNIX_SYSTEMS = new Set([3, 19])
/**
 * Limits the fields of all entries together; more than the largest zip needs. Fields beyond it are ignored.
 */
const BLOCK_FIELDS_BYTES_MAX = 2 * 1024 ** 2
const FILE_TYPE = 0o170_000
const SYMLINK = 0o120_000

type ListedEntry = Omit<ZipEntry, 'until'>

/**
 * Lists the entries in byte order without unpacking them. Throws `ZipError` for a zip that is not accepted.
 * `admit` is called with the number of entries before they are read.
 */
export async function readDirectory(
  reader: BlockReader,
  admit?: (entryCount: number) => Promise<void>,
): Promise<ZipEntry[]> {
  return await withYauzl(reader, async (zip) => {
    if (zip.entryCount > PATHS_MAX) throw tooMany()
    await admit?.(zip.entryCount)
    const start = Number(zip.readEntryCursor)
    const paths = new PathSet()
    const entries: ListedEntry[] = []
    let fieldBytes = 0
    for await (const raw of zip.eachEntry()) {
      const names = namesOf(raw)
      const entry = toEntry(raw, names.path)
      fieldBytes += entry.blockField?.length ?? 0
      if (fieldBytes > BLOCK_FIELDS_BYTES_MAX) entry.blockField = null
      for (const name of [names.path, ...names.others]) requireSafePath(name)
      requireAllowed(raw, entry)
      paths.add(entry.path, names.others)
      entries.push(entry)
      if (isSliceOver()) await nextSlice()
    }
    const end = Number(zip.readEntryCursor)
    await requireOneEnd(reader, { start, end, count: zip.entryCount, comment: commentOf(zip) })
    return locateEntries(entries, start)
  })
}

/** Lists every entry that can be unpacked, without validating the zip. Unreadable entries are left out. */
export async function listReadable(reader: BlockReader): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = []
  try {
    await withYauzl(reader, async (zip) => {
      if (zip.entryCount > PATHS_MAX) return
      const until = Number(zip.readEntryCursor)
      for await (const raw of zip.eachEntry()) {
        if (isReadable(raw)) entries.push({ ...toEntry(raw, namesOf(raw).path), blockField: null, until })
        if (isSliceOver()) await nextSlice()
      }
    })
  } catch (error) {
    if (!(error instanceof ZipError)) throw error
  }
  return entries
}

/** Turns faults of the zip into `ZipError`; failures of the source are rethrown unchanged. */
async function withYauzl<Result>(
  reader: BlockReader,
  work: (zip: ZipFile) => Promise<Result>,
): Promise<Result> {
  const access = new YauzlReader(reader)
  try {
    const options = { autoClose: false, decodeStrings: false }
    return await work(await fromRandomAccessReaderPromise(access, reader.size, options))
  } catch (error) {
    if (access.failure) throw access.failure
    if (error instanceof ZipError) throw error
    throw describeFault(error instanceof Error ? error.message : String(error))
  }
}

function describeFault(reason: string): ZipError {
  if (reason.startsWith('End of central directory')) {
    return new ZipError('The file is not a zip, or it is cut off.')
  }
  if (reason.startsWith('Invalid comment length'))
    return hiddenBytes('The zip is damaged: bytes follow its end.')
  if (/^invalid (central|zip64 end)/.test(reason)) {
    return hiddenBytes(
      'The zip is damaged: its directory is not where its end says, as when bytes are put in front.',
    )
  }
  return new ZipError(`The zip is damaged: ${reason}`)
}

function namesOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): EntryNames {
  return parseNames(generalPurposeBitFlag, fileNameRaw, extraFields)
}

function toEntry(raw: Entry, name: string): ListedEntry {
  const { generalPurposeBitFlag: flags, fileNameRaw } = raw
  const path = simplifyPath(name)
  return {
    path,
    isFolder: path.endsWith('/'),
    isDeflated: raw.compressionMethod === DEFLATED,
    flags,
    packedSize: raw.compressedSize,
    size: raw.uncompressedSize,
    crc: raw.crc32,
    mode: modeOf(raw),
    offset: raw.relativeOffsetOfLocalHeader,
    // Copied, because the original buffer also holds the comment and extra fields.
    rawName: Uint8Array.from(fileNameRaw),
    blockField: blockFieldOf(raw),
  }
}

function blockFieldOf({ extraFields }: Entry): Uint8Array | null {
  const field = extraFields.find(({ id }) => id === BLOCK_FIELD)
  return field ? Uint8Array.from(field.data) : null
}

/** Only packers on Unix and macOS record it. */
function modeOf({ versionMadeBy, externalFileAttributes }: Entry): number | null {
  const isUnix = UNIX_SYSTEMS.has(versionMadeBy >>> 8)
  return isUnix ? externalFileAttributes >>> 16 || null : null
}

function isReadable(raw: Entry): boolean {
  return !raw.isEncrypted() && (raw.compressionMethod === STORED || raw.compressionMethod === DEFLATED)
}

function requireAllowed(raw: Entry, { path, isFolder }: ListedEntry): void {
  if (((raw.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK) {
    throw new ZipError(
      `${quoteName(path)} is a symbolic link; pack the file itself, for example by zip without -y.`,
    )
  }
  if (raw.isEncrypted()) throw new ZipError(`${quoteName(path)} is encrypted; zip it without a password.`)
  if (!isReadable(raw)) {
    const method = raw.compressionMethod
    throw new ZipError(
      `${quoteName(path)} is packed by method ${method}; only "store" and "deflate" are taken. Pack it again with "deflate".`,
    )
  }
  if (isFolder && raw.uncompressedSize > 0) throw new ZipError(`${quoteName(path)} is a folder with content.`)
  if (holdsZipParts(raw.extraFieldRaw) || holdsZipParts(raw.fileCommentRaw)) {
    throw hiddenBytes(`The directory entry of ${quoteName(path)} holds parts of another zip.`)
  }
}

/** yauzl was asked not to decode the comment. */
function commentOf(zip: ZipFile): Buffer {
  return Buffer.from(zip.comment)
}

/**
 * Sorts entries by offset. Rejects bytes before the first one, and overlapping entries, which are how small
 * zips unpack to huge sizes.
 */
function locateEntries(listed: ListedEntry[], directoryStart: number): ZipEntry[] {
  listed.sort((a, b) => a.offset - b.offset)
  const placed = listed.map((entry, index) => {
    const until = listed[index + 1]?.offset ?? directoryStart
    const end = entry.offset + LOCAL_HEADER_SIZE + entry.rawName.length + entry.packedSize
    if (end > until) throw new ZipError(`${quoteName(entry.path)} overlaps with other parts of the zip.`)
    return { ...entry, until }
  })
  const before = placed[0]?.offset ?? directoryStart
  if (before > 0)
    throw hiddenBytes(
      `The zip begins with ${plural(before, 'byte that belongs', 'bytes that belong')} to no file.`,
    )
  return placed
}
