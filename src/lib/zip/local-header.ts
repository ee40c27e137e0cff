import { type ExtraField, parseExtraFields } from 'yauzl'

import { plural } from '../text/show.ts'
import type { BlockReader } from './block-reader.ts'
import { LOCAL_HEADER_SIZE, type ZipEntry } from './directory.ts'
import { parseNames, simplifyPath } from './paths.ts'
import { damagedEntry, hiddenBytes, holdsZipParts, quoteName, type ZipError } from './zip-error.ts'

const SIGNATURE = 0x0403_4b50
const DEFLATED = 8
const ENCRYPTED = 0x2041
const SUMS_FOLLOW = 0x8
const ZIP64 = 0x0001
/** A 32-bit value that refers to the 64-bit extra field. */
const IN_64 = 0xffff_ffff
const DESCRIPTOR = Buffer.from('PK\u0007\u0008')
const DESCRIPTOR_MAX = 24
const NOTHING = Buffer.alloc(0)

interface LocalHeader {
  flags: number
  crc: number
  packedSize: number
  size: number
  name: Buffer
  extra: Buffer
  /** Where the packed bytes begin. */
  start: number
}

/** Reads the header before the packed bytes. Checks only what is needed to find them. */
export async function readLocalHeader(reader: BlockReader, entry: ZipEntry): Promise<LocalHeader> {
  const shortest = LOCAL_HEADER_SIZE + entry.rawName.length + entry.packedSize
  if (entry.offset + shortest > entry.until) throw damagedEntry(entry, 'it runs into the next one')
  const nameEnd = LOCAL_HEADER_SIZE + entry.rawName.length
  const header = await readBuffer(reader, entry.offset, nameEnd)
  const isHeader =
    header.readUInt32LE(0) === SIGNATURE &&
    header.readUInt16LE(8) === (entry.isDeflated ? DEFLATED : 0) &&
    header.readUInt16LE(26) === entry.rawName.length
  if (!isHeader) throw differs(entry)
  const extraLength = header.readUInt16LE(28)
  const start = entry.offset + nameEnd + extraLength
  if (start + entry.packedSize > entry.until) throw damagedEntry(entry, 'it runs into the next one')
  return {
    flags: header.readUInt16LE(6),
    crc: header.readUInt32LE(14),
    packedSize: header.readUInt32LE(18),
    size: header.readUInt32LE(22),
    name: header.subarray(LOCAL_HEADER_SIZE),
    extra: extraLength === 0 ? NOTHING : await readBuffer(reader, entry.offset + nameEnd, extraLength),
    start,
  }
}

async function readBuffer(reader: BlockReader, start: number, length: number): Promise<Buffer> {
  const bytes = await reader.read(start, length)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Some unpackers use the directory, others the local headers: both must describe the same file. */
export function requireSameEntry(entry: ZipEntry, header: LocalHeader): void {
  const fields = readExtraFields(entry, header)
  const isSame =
    (header.flags & ENCRYPTED) === 0 &&
    header.name.equals(entry.rawName) &&
    hasSamePath(entry, fields) &&
    hasSameSums(entry, header, fields)
  if (!isSame) throw differs(entry)
  if (holdsZipParts(header.extra)) {
    throw hiddenBytes(`The header of ${quoteName(entry.path)} holds parts of another zip.`)
  }
}

/** Only the entry's checksum and sizes may follow the packed bytes before the next part of the zip. */
export async function requireNoGap(reader: BlockReader, entry: ZipEntry, header: LocalHeader): Promise<void> {
  const end = header.start + entry.packedSize
  const gap = entry.until - end
  if (gap === 0) return
  if (gap <= DESCRIPTOR_MAX && sumsFollow(entry, header)) {
    const found = await readBuffer(reader, end, gap)
    if (descriptorsOf(entry).some((bytes) => bytes.equals(found))) return
  }
  throw hiddenBytes(
    `${quoteName(entry.path)} is followed by ${plural(gap, 'byte that belongs', 'bytes that belong')} to no file.`,
  )
}

function readExtraFields(entry: ZipEntry, { extra }: LocalHeader): ExtraField[] {
  try {
    return parseExtraFields(extra)
  } catch {
    throw differs(entry)
  }
}

/** The local header may lack the Unicode name, but must not have a different one. */
function hasSamePath({ path, flags, rawName }: ZipEntry, fields: ExtraField[]): boolean {
  if (fields.length === 0) return true
  const raw = Buffer.from(rawName)
  const own = parseNames(flags, raw, fields).path
  return simplifyPath(own) === path || own === parseNames(flags, raw, []).path
}

function hasSameSums(entry: ZipEntry, header: LocalHeader, fields: ExtraField[]): boolean {
  const wide = fields.find(({ id }) => id === ZIP64)?.data
  const both = wide !== undefined && wide.length >= 16
  const size = widen(header.size, wide, 0)
  const packedSize = widen(header.packedSize, wide, both ? 8 : 0)
  const follow = sumsFollow(entry, header)
  const fits = (said: number, real: number) => said === real || (follow && (said === 0 || said === IN_64))
  return fits(header.crc, entry.crc) && fits(size, entry.size) && fits(packedSize, entry.packedSize)
}

function widen(value: number, wide: Buffer | undefined, at: number): number {
  return value === IN_64 && wide && wide.length >= at + 8 ? Number(wide.readBigUInt64LE(at)) : value
}

function sumsFollow(entry: ZipEntry, { flags }: LocalHeader): boolean {
  return ((flags | entry.flags) & SUMS_FOLLOW) !== 0
}

/** With 32-bit or 64-bit sizes, each with or without a signature. */
function descriptorsOf({ crc, packedSize, size }: ZipEntry): Buffer[] {
  const narrow = Buffer.alloc(12)
  narrow.writeUInt32LE(crc, 0)
  narrow.writeUInt32LE(packedSize % 2 ** 32, 4)
  narrow.writeUInt32LE(size % 2 ** 32, 8)
  const wide = Buffer.alloc(20)
  wide.writeUInt32LE(crc, 0)
  wide.writeBigUInt64LE(BigInt(packedSize), 4)
  wide.writeBigUInt64LE(BigInt(size), 12)
  return [narrow, wide].flatMap((bytes) => [bytes, Buffer.concat([DESCRIPTOR, bytes])])
}

function differs(entry: ZipEntry): ZipError {
  return damagedEntry(entry, 'its header is not what the directory says')
}
