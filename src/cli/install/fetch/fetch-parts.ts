import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { createCollector } from '../../../lib/flow/buffer-memory.ts'
import { unpackBlock } from '../../../lib/zip/blocks.ts'
import type { Retry } from '../../api/retry.ts'
import { writeAll } from '../durable.ts'
import type { NewFile, Piece } from '../plan.ts'
import type { ContentHashes } from './content-hashes.ts'
import { ChangedFile, StaleLink } from './remote-file.ts'
import { groupRanges, type RangeRequest, REQUEST_MAX, type Segment, type Wanted } from './spool.ts'

/** Takes exact numbers of bytes from a stream of pieces of any size. */
class ExactReader implements AsyncDisposable {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Pieces of what comes next, together exactly `length` bytes. */
  async *pieces(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0;) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next()
        if (done) throw new Error('The stream ended early')
        this.#rest = value
      }
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async take(length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(length)
    let at = 0
    for await (const piece of this.pieces(length)) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }

  async skip(length: number): Promise<void> {
    const pieces = this.pieces(length)
    while (!(await pieces.next()).done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source.return?.()
  }
}

/** What fetched bytes are for: a part of a new file, or a segment that is stored as it is. */
export type Use = { file: NewFile; piece: Piece } | { segment: Segment }

/** The zip on the server, or a copy of it. */
export interface ZipSource {
  /** Reduces the size of one request, if a limited rate calls for it. */
  limitRequest?(max: number, connections: number): number
  stream(start: number, end: number): AsyncIterable<Uint8Array>
}

interface FetchOptions {
  source: ZipSource
  /** Where new files are written. */
  staged: string
  hashes: ContentHashes
  signal: AbortSignal
  /** Each connection has its own; waiting ends when another connection has failed. */
  createRetry: (stop: AbortSignal) => Retry
}

const CONNECTIONS = 4
const collect = createCollector()
/** A part that is wrong this many times is refused. */
const WRONG_MAX = 3

export function wantPiece(file: NewFile, piece: Piece): Wanted<Use> {
  return { start: piece.packedAt, end: piece.packedAt + piece.packed, use: { file, piece } }
}

export function wantSegment(segment: Segment): Wanted<Use> {
  return { start: segment.start, end: segment.end, use: { segment } }
}

/** Neighbouring parts in one request. */
export function planRequests(wanted: readonly Wanted<Use>[], source: ZipSource): RangeRequest<Use>[] {
  const max = source.limitRequest?.(REQUEST_MAX, CONNECTIONS) ?? REQUEST_MAX
  return groupRanges(wanted, { max })
}

/** The files of which every part is fetched. */
export function listWholeFiles(wanted: readonly Wanted<Use>[]): NewFile[] {
  const counts = new Map<NewFile, number>()
  for (const { use } of wanted) if ('file' in use) counts.set(use.file, (counts.get(use.file) ?? 0) + 1)
  return [...counts].filter(([file, count]) => count === file.pieces?.length).map(([file]) => file)
}

/** Fetches all parts over several connections. */
export async function fetchParts(
  requests: readonly RangeRequest<Use>[],
  options: FetchOptions,
): Promise<void> {
  const queue = requests.values()
  const failed = new AbortController()
  async function work(): Promise<void> {
    const retry = options.createRetry(failed.signal)
    for (const request of queue) {
      if (failed.signal.aborted) return
      await fetchRequest(request.wanted, retry, options)
    }
  }
  const connections = Array.from({ length: Math.min(CONNECTIONS, requests.length) }, work)
  await Promise.all(connections.map((connection) => connection.catch((error) => failed.abort(error))))
  // The first failure; those of the others are its consequence.
  failed.signal.throwIfAborted()
}

/** Continues after the last part that was written, however the connection broke. */
async function fetchRequest(
  parts: readonly Wanted<Use>[],
  retry: Retry,
  options: FetchOptions,
): Promise<void> {
  const left = [...parts]
  let wrong = 0
  retry.progress()
  while (left.length > 0) {
    try {
      for (const { wanted } of groupRanges(left)) {
        await saveParts(wanted, options, () => {
          left.shift()
          wrong = 0
          retry.progress()
        })
      }
    } catch (error) {
      if (error instanceof WrongBytes) {
        wrong += 1
        if (wrong >= WRONG_MAX) throw error
        await retry.wait(error)
      } else if (!(error instanceof StaleLink)) await retry.pause(error)
    }
  }
}

/** Calls `onSaved` after each part, in their order. */
async function saveParts(
  parts: readonly Wanted<Use>[],
  { source, staged, hashes }: FetchOptions,
  onSaved: () => void,
): Promise<void> {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last) return
  await using reader = new ExactReader(source.stream(first.start, last.end))
  await using files = new OpenFile()
  let at = first.start
  for (const part of parts) {
    await reader.skip(part.start - at)
    at = part.end
    if ('segment' in part.use) await appendSegment(part, part.use.segment, reader)
    else {
      const { file, piece } = part.use
      const block = { size: piece.size, packedSize: piece.packed }
      const content = await unpackBlock(await reader.take(piece.packed), block, piece)
      if (!content) throw new WrongBytes(file.path)
      const handle = await files.open(join(staged, file.staged), file.isExecutable)
      await writeAll(handle, content, piece.at)
      if (!(await hashes.add(file, piece, content))) throw new WrongBytes(file.path)
      if (piece.isDeflated) collect(content.length)
    }
    onSaved()
  }
}

/** Bytes that were stored are not requested again: the part becomes shorter. */
async function appendSegment(part: Wanted<Use>, { path }: Segment, reader: ExactReader): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await using handle = await open(path, 'a')
  for await (const bytes of reader.pieces(part.end - part.start)) {
    await writeAll(handle, bytes)
    part.start += bytes.length
  }
}

class WrongBytes extends ChangedFile {
  constructor(path: string) {
    super(`The store sends other bytes for "${path}" than it announced.`)
  }
}

export async function openForWriting(path: string, isExecutable: boolean): Promise<FileHandle> {
  return await open(path, constants.O_RDWR | constants.O_CREAT, isExecutable ? 0o777 : 0o666)
}

/** Parts of a file follow each other, so the last one stays open. */
class OpenFile implements AsyncDisposable {
  #path = ''
  #handle: FileHandle | null = null

  async open(path: string, isExecutable: boolean): Promise<FileHandle> {
    if (this.#handle && this.#path === path) return this.#handle
    await this[Symbol.asyncDispose]()
    this.#handle = await openForWriting(path, isExecutable)
    this.#path = path
    return this.#handle
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close()
    this.#handle = null
  }
}
