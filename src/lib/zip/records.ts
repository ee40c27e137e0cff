import { BLOCK_FIELD } from './directory.ts'

/** What the headers of a zip say about one entry. */
export interface EntryRecord {
  name: Buffer
  /** Bits of the general purpose flag. */
  flags: number
  isDeflated: boolean
  /** Date and time in MS-DOS form. */
  stamp: number
  crc: number
  packedSize: number
  size: number
  /** Type and permissions, as on Unix. */
  mode: number
  /** Where the local header begins. */
  offset: number
  /** Names the parts that can be unpacked on their own; written into the directory only. */
  blockField?: Uint8Array | null
}

/** Sizes and checksum follow the data. */
export const SUMS_FOLLOW = 1 << 3
/** Names are UTF-8. */
export const UTF8_NAMES = 1 << 11
/** The earliest time that a zip can hold: 1980-01-01 00:00. */
export const EARLIEST_STAMP = 0x21 * 2 ** 16

const VERSION = 20
const VERSION_64 = 45
const UNIX = 3 << 8
const DEFLATED = 8
const ZIP64 = 1
/** Marks a 32-bit field whose value is in the 64-bit extension. */
const IN_64 = 2 ** 32 - 1
const COUNT_IN_64 = 2 ** 16 - 1

/** Large entries have 64-bit sizes in an extra field, also when only `size` is known yet. */
export function localHeader(entry: EntryRecord): Buffer {
  const { name, size, packedSize } = entry
  const wide = wideField(isWide(entry) ? [size, packedSize] : [])
  const header = Buffer.alloc(30)
  header.write('PK\u0003\u0004', 0, 'latin1')
  writeCommon(header, 4, entry, versionOf(wide), wide)
  return Buffer.concat([header, name, wide])
}

export function directoryRecord(entry: EntryRecord): Buffer {
  const { name, size, packedSize, mode, offset, blockField = null } = entry
  const wide = wideField([...(isWide(entry) ? [size, packedSize] : []), ...(offset >= IN_64 ? [offset] : [])])
  const extra = blockField ? Buffer.concat([wide, extraField(BLOCK_FIELD, blockField)]) : wide
  const record = Buffer.alloc(46)
  record.write('PK\u0001\u0002', 0, 'latin1')
  record.writeUInt16LE(UNIX | versionOf(wide), 4)
  writeCommon(record, 6, entry, versionOf(wide), extra)
  record.writeUInt32LE(mode * 2 ** 16, 38)
  record.writeUInt32LE(Math.min(offset, IN_64), 42)
  return Buffer.concat([record, name, extra])
}

interface Directory {
  count: number
  size: number
  offset: number
}

/** The records after the directory; with 64-bit ones before the usual one where a number needs it. */
export function endRecords({ count, size, offset }: Directory): Buffer {
  const isWide = count >= COUNT_IN_64 || size >= IN_64 || offset >= IN_64
  const record = Buffer.alloc(22)
  record.write('PK\u0005\u0006', 0, 'latin1')
  record.writeUInt16LE(Math.min(count, COUNT_IN_64), 8)
  record.writeUInt16LE(Math.min(count, COUNT_IN_64), 10)
  record.writeUInt32LE(Math.min(size, IN_64), 12)
  record.writeUInt32LE(Math.min(offset, IN_64), 16)
  return isWide ? Buffer.concat([endRecords64({ count, size, offset }), record]) : record
}

function endRecords64({ count, size, offset }: Directory): Buffer {
  const records = Buffer.alloc(56 + 20)
  records.write('PK\u0006\u0006', 0, 'latin1')
  records.writeBigUInt64LE(44n, 4)
  records.writeUInt16LE(UNIX | VERSION_64, 12)
  records.writeUInt16LE(VERSION_64, 14)
  for (const [index, value] of [count, count, size, offset].entries()) {
    records.writeBigUInt64LE(BigInt(value), 24 + index * 8)
  }
  records.write('PK\u0006\u0007', 56, 'latin1')
  records.writeBigUInt64LE(BigInt(offset + size), 64)
  records.writeUInt32LE(1, 72)
  return records
}

/** The fields that both headers have in the same order. */
function writeCommon(record: Buffer, at: number, entry: EntryRecord, version: number, extra: Buffer): void {
  record.writeUInt16LE(version, at)
  record.writeUInt16LE(entry.flags, at + 2)
  record.writeUInt16LE(entry.isDeflated ? DEFLATED : 0, at + 4)
  record.writeUInt32LE(entry.stamp, at + 6)
  record.writeUInt32LE(entry.crc, at + 10)
  record.writeUInt32LE(isWide(entry) ? IN_64 : entry.packedSize, at + 14)
  record.writeUInt32LE(isWide(entry) ? IN_64 : entry.size, at + 18)
  record.writeUInt16LE(entry.name.length, at + 22)
  record.writeUInt16LE(extra.length, at + 24)
}

function isWide({ size, packedSize }: EntryRecord): boolean {
  return size >= IN_64 || packedSize >= IN_64
}

function versionOf(wide: Buffer): number {
  return wide.length > 0 ? VERSION_64 : VERSION
}

function wideField(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0)
  const data = Buffer.alloc(values.length * 8)
  for (const [index, value] of values.entries()) data.writeBigUInt64LE(BigInt(value), index * 8)
  return extraField(ZIP64, data)
}

function extraField(id: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(id, 0)
  head.writeUInt16LE(data.length, 2)
  return Buffer.concat([head, data])
}
