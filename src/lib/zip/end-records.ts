import type { BlockReader } from './block-reader.ts'
import { hiddenBytes, holdsZipParts, ZipError } from './zip-error.ts'

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
export interface Extent {
  start: number
  end: number
  count: number
  comment: Buffer
}

/**
 * Unpackers find the directory in different ways. All of them must find the one that was read here, so
 * nothing but its end records may follow it.
 */
export async function requireOneEnd(reader: BlockReader, extent: Extent): Promise<void> {
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
