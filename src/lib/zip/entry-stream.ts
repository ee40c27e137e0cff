import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib'

import type { BlockReader } from './block-reader.ts'
import type { ZipEntry } from './directory.ts'
import { readLocalHeader, requireNoGap, requireSameEntry } from './local-header.ts'
import { damagedEntry, quoteName, ZipError } from './zip-error.ts'

/** Up to here an entry is unpacked in one step: a stream for each of many small ones costs more than its bytes. */
const SMALL = 256 * 1024
const CHUNK_SIZE = 256 * 1024

/**
 * The entry's content, unpacked in pieces. Throws `ZipError` as soon as it is not what the directory says, and when
 * anything else lies between it and the next entry.
 */
export function readEntry(reader: BlockReader, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  return read(reader, entry, { alone: true })
}

/** The same for an entry whose surroundings do not matter. */
export function readContent(reader: BlockReader, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  return read(reader, entry, { alone: false })
}

async function* read(
  reader: BlockReader,
  entry: ZipEntry,
  { alone }: { alone: boolean },
): AsyncGenerator<Uint8Array> {
  const header = await readLocalHeader(reader, entry)
  if (alone) requireSameEntry(entry, header)
  let size = 0
  let crc = 0
  for await (const piece of unpack(reader, entry, header.start)) {
    size += piece.length
    if (size > entry.size) throw outgrown(entry)
    crc = crc32(piece, crc)
    yield piece
  }
  if (size < entry.size) throw damagedEntry(entry, 'it is shorter than the zip says')
  if (crc !== entry.crc) throw damagedEntry(entry, 'its checksum does not fit')
  if (alone) await requireNoGap(reader, entry, header)
}

async function* unpack(reader: BlockReader, entry: ZipEntry, start: number): AsyncGenerator<Uint8Array> {
  const { packedSize, size, isDeflated } = entry
  try {
    if (!isDeflated) yield* reader.stream(start, packedSize)
    else if (size <= SMALL && packedSize <= SMALL) {
      const { buffer, engine } = inflateAtOnce(await reader.read(start, packedSize), size)
      yield buffer
      requireAllUsed(entry, engine)
    } else {
      const inflater = createInflateRaw({ chunkSize: CHUNK_SIZE })
      // Failures of either end are thrown by the loop below.
      yield* pipeline(reader.stream(start, packedSize), inflater, () => undefined)
      requireAllUsed(entry, inflater)
    }
  } catch (error) {
    throw toZipError(entry, error)
  }
}

interface Inflated {
  buffer: Buffer
  engine: InflateRaw
}

/** Room for one byte more shows an entry that outgrows its size. */
function inflateAtOnce(packed: Uint8Array, size: number): Inflated {
  const options = { maxOutputLength: size + 1, chunkSize: Math.max(64, size + 1), info: true }
  // The type of the function does not know what `info` makes of its result.
  return inflateRawSync(packed, options) as unknown as Inflated
}

/** Packed content ends by itself; what follows it would be bytes that no scanner sees. */
function requireAllUsed(entry: ZipEntry, { bytesWritten }: InflateRaw): void {
  if (bytesWritten < entry.packedSize) throw damagedEntry(entry, 'other bytes follow its packed content')
}

/** What the inflater says about the bytes; failures of the source stay what they are. */
function toZipError(entry: ZipEntry, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') return outgrown(entry)
  return code.startsWith('Z_') ? damagedEntry(entry, 'it cannot be unpacked') : error
}

function outgrown({ path }: ZipEntry): ZipError {
  return new ZipError(`${quoteName(path)} unpacks to more than the zip says.`)
}
