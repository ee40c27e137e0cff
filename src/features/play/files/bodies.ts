import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { AppError } from '../../../errors.ts'
import { GZIP_HEADER, GZIP_TRAILER_BYTES, gzipTrailer } from '../../../lib/bytes/gzip-frame.ts'
import type { PlayedEntry } from './directory.ts'

type Store = Pick<ObjectStore, 'get' | 'localPath'>
type Body = ReadableStream<Uint8Array> | Blob | Uint8Array<ArrayBuffer>

/** Smaller entries are read in one step: a stream for each would cost more than its bytes. */
const SMALL = 128 * 1024
const CHUNK = 256 * 1024

/** Bytes of the zip as they lie there. A local file is sent by the system, without passing through memory. */
export async function openRange(store: Store, key: string, start: number, length: number): Promise<Body> {
  if (length === 0) return new Uint8Array()
  const path = store.localPath(key)
  if (path === null) return (await store.get(key, { start, end: start + length - 1 })).stream
  if (!existsSync(path)) throw new AppError('not_found')
  return Bun.file(path).slice(start, start + length)
}

/** A deflated entry as a gzip file, without inflating it. */
export async function openGzip(store: Store, key: string, entry: PlayedEntry): Promise<Body> {
  const path = store.localPath(key)
  if (path !== null && entry.packed <= SMALL) return readSmall(path, entry)
  const pieces = path === null ? await readRemote(store, key, entry) : readLocal(path, entry)
  return sendInOrder(frame(pieces, entry))
}

/** For the few clients that do not accept gzip. */
export async function openInflated(store: Store, key: string, entry: PlayedEntry): Promise<Body> {
  const packed = await openRange(store, key, entry.dataAt, entry.packed)
  const bytes = packed instanceof ReadableStream ? packed : new Blob([packed]).stream()
  return bytes.pipeThrough(new DecompressionStream('deflate-raw'))
}

function readSmall(path: string, { dataAt, packed, crc32, size }: PlayedEntry): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(GZIP_HEADER.length + packed + GZIP_TRAILER_BYTES)
  const file = openFile(path)
  try {
    let read = 0
    while (read < packed) {
      const count = readSync(file, bytes, GZIP_HEADER.length + read, packed - read, dataAt + read)
      if (count === 0) throw endedEarly(path)
      read += count
    }
  } finally {
    closeSync(file)
  }
  bytes.set(GZIP_HEADER)
  bytes.set(gzipTrailer(crc32, size), GZIP_HEADER.length + packed)
  return bytes
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new AppError('not_found', { cause })
  }
}

/** Each piece must be used before the next is asked for: they share one buffer. */
async function* readLocal(path: string, { dataAt, packed }: PlayedEntry): AsyncGenerator<Uint8Array> {
  await using file = await open(path)
  const buffer = new Uint8Array(CHUNK)
  for (let at = 0; at < packed;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK, packed - at), dataAt + at)
    if (bytesRead === 0) throw endedEarly(path)
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Asks for the bytes before the response begins, so that a missing object is still a 404. */
async function readRemote(
  store: Store,
  key: string,
  { dataAt, packed }: PlayedEntry,
): Promise<AsyncIterable<Uint8Array>> {
  return (await store.get(key, { start: dataAt, end: dataAt + packed - 1 })).stream
}

async function* frame(
  pieces: AsyncIterable<Uint8Array>,
  { crc32, size }: PlayedEntry,
): AsyncGenerator<Uint8Array> {
  yield GZIP_HEADER
  yield* pieces
  yield gzipTrailer(crc32, size)
}

/** Waits until the client has taken a piece before it asks for the next. */
function sendInOrder(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    type: 'direct',
    async pull(sink) {
      for await (const piece of pieces) {
        void sink.write(piece)
        await sink.flush(true)
      }
      await sink.end()
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}

function endedEarly(path: string): Error {
  return new Error(`The object at ${path} ended early.`)
}
