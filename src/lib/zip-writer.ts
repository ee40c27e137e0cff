import { crc32 } from 'node:zlib'

export interface ZipEntry {
  /** Folders are separated by slashes. */
  name: string
  modifiedAt: Date
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

interface WrittenEntry {
  name: Buffer
  stamp: number
  crc: number
  size: number
  offset: number
}

const VERSION = 20
const MADE_BY_UNIX = (3 << 8) | VERSION
const PLAIN_FILE = 0o100_644 * 2 ** 16
/** Bit 3: sizes and checksum follow the data. Bit 11: names are UTF-8. */
const FLAGS = (1 << 3) | (1 << 11)
const DESCRIPTOR_SIZE = 16
/** The limit without the 64-bit extension. */
const BYTES_MAX = 2 ** 32 - 1
const ENTRIES_MAX = 2 ** 16 - 1

/**
 * Streams a zip with uncompressed entries. Reads lazily, with one entry open at a time: the next is requested
 * after the body of the previous one has ended.
 */
export async function* writeZip(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
): AsyncGenerator<Uint8Array> {
  const written: WrittenEntry[] = []
  let offset = 0
  for await (const { name, modifiedAt, body } of entries) {
    const entry = { name: Buffer.from(name), stamp: toDosTime(modifiedAt), crc: 0, size: 0, offset }
    const head = localHeader(entry)
    yield head
    for await (const chunk of body) {
      entry.crc = crc32(chunk, entry.crc)
      entry.size += chunk.length
      yield chunk
    }
    written.push(entry)
    offset += head.length + entry.size + DESCRIPTOR_SIZE
    if (offset > BYTES_MAX || written.length > ENTRIES_MAX) throw new Error('The zip grows too large')
    yield descriptor(entry)
  }
  const directory = Buffer.concat(written.map(directoryRecord))
  yield directory
  yield endRecord(written.length, directory.length, offset)
}

function localHeader({ name, stamp }: WrittenEntry): Buffer {
  const header = Buffer.alloc(30)
  header.write('PK\u0003\u0004', 0, 'latin1')
  header.writeUInt16LE(VERSION, 4)
  header.writeUInt16LE(FLAGS, 6)
  header.writeUInt32LE(stamp, 10)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function descriptor({ crc, size }: WrittenEntry): Buffer {
  const record = Buffer.alloc(DESCRIPTOR_SIZE)
  record.write('PK\u0007\u0008', 0, 'latin1')
  writeSums(record, 4, crc, size)
  return record
}

function directoryRecord({ name, stamp, crc, size, offset }: WrittenEntry): Buffer {
  const record = Buffer.alloc(46)
  record.write('PK\u0001\u0002', 0, 'latin1')
  record.writeUInt16LE(MADE_BY_UNIX, 4)
  record.writeUInt16LE(VERSION, 6)
  record.writeUInt16LE(FLAGS, 8)
  record.writeUInt32LE(stamp, 12)
  writeSums(record, 16, crc, size)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt32LE(PLAIN_FILE, 38)
  record.writeUInt32LE(offset, 42)
  return Buffer.concat([record, name])
}

function endRecord(count: number, directorySize: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(22)
  record.write('PK\u0005\u0006', 0, 'latin1')
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(directorySize, 12)
  record.writeUInt32LE(directoryOffset, 16)
  return record
}

/** Checksum, packed size and size; the sizes are equal because nothing is compressed. */
function writeSums(record: Buffer, at: number, crc: number, size: number): void {
  record.writeUInt32LE(crc, at)
  record.writeUInt32LE(size, at + 4)
  record.writeUInt32LE(size, at + 8)
}

/**
 * Two-second steps from 1980 to 2107, the date in the upper half; in UTC, so that the result is the same
 * everywhere.
 */
function toDosTime(moment: Date): number {
  const year = Math.min(2107, Math.max(1980, moment.getUTCFullYear()))
  const date = ((year - 1980) << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate()
  const time =
    (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | Math.floor(moment.getUTCSeconds() / 2)
  return date * 2 ** 16 + time
}
