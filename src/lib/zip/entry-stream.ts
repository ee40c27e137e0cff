import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib'

import { isSliceOver, nextSlice } from '../flow/loop-slices.ts'
import type { BlockReader } from './block-reader.ts'
import type { ZipEntry } from './directory.ts'
import { readLocalHeader, requireNoGap, requireSameEntry } from './local-header.ts'
import { damagedEntry, quoteName, ZipError } from './zip-error.ts'

/** Smaller entries are unpacked in one step: a stream for each would cost more than its bytes. */
const SMALL = 256 * 1024
const CHUNK_SIZE = 256 * 1024

/**
 * Unpacks the entry in pieces. Throws `ZipError` if the content differs from the directory, or if there are
 * other bytes between it and the next entry.
 */
export function readEntry(reader: BlockReader, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  return read(reader, entry, { alone: true })
}

/** Like `readEntry`, but ignores the bytes around the entry. */
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
    // Small entries of a block that is in memory would otherwise follow each other without a pause.
    if (isSliceOver()) await nextSlice()
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
      // The loop below throws the failures of both ends.
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

/** One spare byte reveals an entry that is longer than its size. */
function inflateAtOnce(packed: Uint8Array, size: number): Inflated {
  const options = { maxOutputLength: size + 1, chunkSize: Math.max(64, size + 1), info: true }
  // The type does not cover the result of the `info` option.
  return inflateRawSync(packed, options) as unknown as Inflated
}

/** Deflated data marks its own end; bytes after it would be hidden from scanners. */
function requireAllUsed(entry: ZipEntry, { bytesWritten }: InflateRaw): void {
  if (bytesWritten < entry.packedSize) throw damagedEntry(entry, 'other bytes follow its packed content')
}

/** Converts inflate errors; failures of the source are returned unchanged. */
function toZipError(entry: ZipEntry, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') return outgrown(entry)
  return code.startsWith('Z_') ? damagedEntry(entry, 'it cannot be unpacked') : error
}

function outgrown({ path }: ZipEntry): ZipError {
  return new ZipError(`${quoteName(path)} unpacks to more than the zip says.`)
}
