import type { RangeSource } from '../../../clients/object-store/object-store.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Sha256 } from '../../../lib/sha256/sha256.ts'
import { openIntake } from './intake.ts'
import { requireMayContinue } from './may-continue.ts'
import type { UploadedFile, UploadSession } from './model.ts'
import type { SessionRef } from './queries.ts'
import { completeSession } from './record.ts'
import type { Target, Uploads } from './service.ts'
import { readCurrentSize, requireSession, toSession } from './sessions.ts'
import type { SentFile } from './whole-file.ts'
import type { Claim } from './writers.ts'

export interface ChunkHeaders {
  sessionId: string | null
  contentRange: string | null
}

export interface ChunkBody {
  /** The number of bytes according to the headers. */
  bytes: number
  /** Fires when the chunk has to be aborted. */
  signal: AbortSignal
  onFile: (file: Pick<SentFile, 'stream' | 'slot'>) => Promise<void>
  /** Instead of a file: bytes that are stored already. */
  onRanges: (source: RangeSource, signal: AbortSignal) => Promise<void>
}

/**
 * Passes on the only file of the request, or ranges of an earlier one. Returns the checksum that came with it, which
 * only sessions that were opened without one use.
 */
export type ReadChunk = (body: ChunkBody) => Promise<string | undefined>

export type ChunkResult = { isDone: false; session: UploadSession } | { isDone: true; file: UploadedFile }

export async function writeChunk(
  uploads: Uploads,
  target: Target,
  headers: ChunkHeaders,
  readChunk: ReadChunk,
): Promise<ChunkResult> {
  const { db, store } = uploads.deps
  const { gameUid } = target
  if (headers.sessionId === null || !isUid(headers.sessionId)) {
    throw chunkInvalid('X-Upload-Session-ID must be the session_id of an open upload session.', 0)
  }
  const range = parseContentRange(headers.contentRange)
  if (!range) {
    const session = await requireSession(db, gameUid, headers.sessionId)
    const message = 'Content-Range must be "bytes <start>-<end>/<total_size>".'
    throw chunkInvalid(message, await readCurrentSize(store, session))
  }
  return await continueSession(uploads, { uid: headers.sessionId, gameUid }, target, range, readChunk)
}

/** Bytes of a chunk that arrived are stored even if the rest fails: the client resumes after them. */
export async function continueSession(
  uploads: Uploads,
  ref: SessionRef,
  target: Target,
  range: ContentRange,
  readChunk: ReadChunk,
): Promise<ChunkResult> {
  const { db, store } = uploads.deps
  await using claim = await uploads.writers.claim(ref)
  await requireMayContinue(db, target, claim.session)
  const size = await readCurrentSize(store, claim.session)
  const { totalSize } = claim.session
  const isLast = range.end + 1 === totalSize
  const isRepeated = isLast && size === totalSize
  if (range.total !== totalSize) throw otherTotal(range.total, totalSize, size)
  if (!isRepeated && range.start !== size) throw outOfOrder(size)
  const checksum = isRepeated
    ? await readRepeated(claim, range, readChunk)
    : await append(uploads, claim, target.ownerUid, range, readChunk)
  if (isLast) return { isDone: true, file: await completeSession(uploads, claim.session, target, checksum) }
  return { isDone: false, session: toSession(claim.session, range.end + 1) }
}

/** All bytes are stored, so only a checksum that is still missing is read. */
async function readRepeated(
  { session, signal }: Claim,
  range: ContentRange,
  readChunk: ReadChunk,
): Promise<string | undefined> {
  if (session.checksum !== null) return undefined
  const skip = async () => undefined
  return await readChunk({ bytes: lengthOf(range), signal, onFile: skip, onRanges: skip })
}

async function append(
  { deps: { store }, hashes }: Uploads,
  { session, signal, watch }: Claim,
  owner: string,
  range: ContentRange,
  readChunk: ReadChunk,
): Promise<string | undefined> {
  const bytes = lengthOf(range)
  const hash = hashes.take(session.uid, range.start)
  const state: { hasBegun: boolean; size: number | null; failure: unknown } = {
    hasBegun: false,
    size: null,
    failure: null,
  }
  let checksum: string | undefined
  try {
    checksum = await readChunk({
      bytes,
      signal,
      async onFile({ stream, slot }) {
        state.hasBegun = true
        const intake = openIntake(stream, { maxBytes: bytes, tooLarge: () => chunkTooLarge(bytes), hash })
        watch(intake.silentMs)
        state.size = await store.append(session.uploadId, intake.stream, {
          size: range.start,
          release: intake.release,
          owner,
          slot,
        })
      },
      async onRanges(source, signal) {
        state.hasBegun = true
        state.size = await store.appendRanges(session.uploadId, source, {
          signal,
          owner,
          onBytes: hash ? (piece) => addCopy(hash, piece) : undefined,
        })
      },
    })
  } catch (error) {
    // The session has ended with the owner's access: there is nothing to resume.
    if (error instanceof AppError && error.kind === 'forbidden') throw error
    state.failure = error
  }
  // A longer chunk than announced may be another one: nothing of it stays.
  const isTaken = state.hasBegun && !isTooLarge(state.failure)
  if (state.hasBegun && !isTaken) await store.truncateUpload(session.uploadId, range.start)
  const size = isTaken ? (state.size ?? (await readCurrentSize(store, session))) : range.start
  if (hash?.size === size) hashes.keep(session.uid, hash)
  if (!state.hasBegun && !signal.aborted && !tellsSize(state.failure)) throw state.failure ?? chunkMissing()
  if (state.failure !== null) throw writeFault(state.failure, size)
  if (size !== range.end + 1) throw outOfOrder(size)
  return checksum
}

/** The store still needs the bytes. */
async function addCopy(hash: Sha256, bytes: Uint8Array): Promise<void> {
  await hash.room()
  hash.update(new Uint8Array(bytes))
}

export function chunkInvalid(message: string, currentSize: number): AppError {
  return new AppError('chunk_invalid', { message, data: { current_size: currentSize } })
}

function outOfOrder(currentSize: number, cause?: unknown): AppError {
  return new AppError('chunk_out_of_place', {
    message: `The session has ${currentSize} bytes. Send the next chunk from there.`,
    data: { current_size: currentSize },
    cause,
  })
}

function chunkMissing(): AppError {
  return new AppError('file_missing', { message: 'The chunk is missing. Send it in the field "file".' })
}

export function chunkTooLarge(bytes: number): AppError {
  return new AppError('upload_too_large', {
    message: `The chunk is larger than the ${bytes} bytes of its Content-Range.`,
  })
}

function otherTotal(given: number, total: number, currentSize: number): AppError {
  return chunkInvalid(
    `Content-Range says that the file has ${given} bytes, but this session was opened for ${total}. Send the chunks of that file, or open a session for the other.`,
    currentSize,
  )
}

function isTooLarge(failure: unknown): failure is AppError {
  return failure instanceof AppError && failure.kind === 'upload_too_large'
}

/** Failures that keep their code, and say how far the session is. */
function tellsSize(failure: unknown): failure is AppError {
  return isTooLarge(failure) || (failure instanceof AppError && failure.kind === 'storage_full')
}

function writeFault(cause: unknown, currentSize: number): AppError {
  if (!tellsSize(cause)) return outOfOrder(currentSize, cause)
  return new AppError(cause.kind, { message: cause.message, data: { current_size: currentSize }, cause })
}

/** Byte offsets; `end` is inclusive. */
export interface ContentRange {
  start: number
  end: number
  total: number
}

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/i

/** null for a missing, malformed or contradictory header. */
export function parseContentRange(header: string | null): ContentRange | null {
  const [, start, end, total] = (CONTENT_RANGE.exec(header?.trim() ?? '') ?? []).map(Number)
  if (start === undefined || end === undefined || total === undefined) return null
  return start <= end && end < total ? { start, end, total } : null
}

export function lengthOf({ start, end }: ContentRange): number {
  return end + 1 - start
}
