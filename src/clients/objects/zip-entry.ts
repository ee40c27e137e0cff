import { GZIP_HEADER, gzipTrailer } from '../../lib/bytes/gzip-frame.ts'
import type { ObjectStore } from './object-store.ts'

/** Where the bytes of an entry of a stored zip lie, and what they unpack to. */
export interface PackedEntry {
  size: number
  packed: number
  dataAt: number
  crc32: number
  isDeflated: boolean
}

type Objects = Pick<ObjectStore, 'get'>
type Bytes = AsyncIterable<Uint8Array>

/**
 * An entry in the form in which it is sent: a deflated one framed as a gzip file, without inflating it. Asks for the
 * bytes at once, so that a missing object throws before a response begins.
 */
export async function openSent(objects: Objects, objectKey: string, entry: PackedEntry): Promise<Bytes> {
  const { dataAt, packed, isDeflated } = entry
  const bytes = complete(await openBytes(objects, objectKey, dataAt, packed), packed)
  return isDeflated ? frame(bytes, entry) : bytes
}

/** Part of an entry that is stored without compression. */
export async function openPart(
  objects: Objects,
  objectKey: string,
  { dataAt }: PackedEntry,
  { start, end }: { start: number; end: number },
): Promise<Bytes> {
  const length = end + 1 - start
  return complete(await openBytes(objects, objectKey, dataAt + start, length), length)
}

/** For the few clients that do not accept gzip. */
export async function openInflated(
  objects: Objects,
  objectKey: string,
  { dataAt, packed }: PackedEntry,
): Promise<ReadableStream<Uint8Array>> {
  const bytes = await openBytes(objects, objectKey, dataAt, packed)
  return bytes.pipeThrough(new DecompressionStream('deflate-raw'))
}

/** Asks for the next piece only when the client has taken the one before. */
export function streamInOrder(bytes: Bytes): ReadableStream<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    type: 'direct',
    async pull(sink) {
      for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
        void sink.write(piece.value)
        await sink.flush(true)
      }
      await sink.end()
    },
    async cancel() {
      await pieces.return?.()
    },
  })
}

async function openBytes(
  objects: Objects,
  objectKey: string,
  start: number,
  length: number,
): Promise<ReadableStream<Uint8Array>> {
  // A range cannot be empty.
  if (length === 0) return new Blob([]).stream()
  return (await objects.get(objectKey, { start, end: start + length - 1 })).stream
}

async function* complete(bytes: Bytes, length: number): AsyncGenerator<Uint8Array> {
  let missing = length
  for await (const piece of bytes) {
    missing -= piece.byteLength
    yield piece
  }
  if (missing !== 0) throw new Error('A stored zip ended early')
}

async function* frame(packed: Bytes, { crc32, size }: PackedEntry): AsyncGenerator<Uint8Array> {
  yield GZIP_HEADER
  yield* packed
  yield gzipTrailer(crc32, size)
}
