import { crc32 } from 'node:zlib'

import {
  directoryRecord,
  endRecords,
  type EntryRecord,
  localHeader,
  SUMS_FOLLOW,
  UTF8_NAMES,
} from '../zip/records.ts'

export interface ZipEntry {
  /** Folders are separated by slashes. */
  name: string
  modifiedAt: Date
  isExecutable?: boolean
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

const DESCRIPTOR_SIZE = 16
const PLAIN = 0o100_644
const EXECUTABLE = 0o100_755
const NEW_ENTRY = {
  flags: SUMS_FOLLOW | UTF8_NAMES,
  isDeflated: false,
  crc: 0,
  packedSize: 0,
  size: 0,
}
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
  const written: EntryRecord[] = []
  let offset = 0
  for await (const { name, modifiedAt, isExecutable = false, body } of entries) {
    const mode = isExecutable ? EXECUTABLE : PLAIN
    const entry = { ...NEW_ENTRY, mode, name: Buffer.from(name), stamp: toDosTime(modifiedAt), offset }
    const head = localHeader(entry)
    yield head
    for await (const chunk of body) {
      entry.crc = crc32(chunk, entry.crc)
      entry.size += chunk.length
      yield chunk
    }
    entry.packedSize = entry.size
    written.push(entry)
    offset += head.length + entry.size + DESCRIPTOR_SIZE
    if (offset > BYTES_MAX || written.length > ENTRIES_MAX) throw new Error('The zip grows too large')
    yield descriptor(entry)
  }
  const directory = Buffer.concat(written.map(directoryRecord))
  yield directory
  yield endRecords({ count: written.length, size: directory.length, offset })
}

function descriptor({ crc, packedSize, size }: EntryRecord): Buffer {
  const record = Buffer.alloc(DESCRIPTOR_SIZE)
  record.write('PK\u0007\u0008', 0, 'latin1')
  for (const [index, value] of [crc, packedSize, size].entries()) record.writeUInt32LE(value, 4 + index * 4)
  return record
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
