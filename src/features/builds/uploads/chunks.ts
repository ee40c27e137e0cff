import type { RangeSource } from '../../../clients/objects/object-store.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Sha256 } from '../../../lib/sha256/sha256.ts'
import { openIntake, openUploadForm, requestMs } from './form.ts'
import {
  COPY_BYTES_MAX,
  type CopyRange,
  type CopyRanges,
  type UploadedFile,
  type UploadSession,
} from './model.ts'
import type { SessionRef, SessionRow } from './queries.ts'
import { completeSession } from './record.ts'
import { loadCurrentSize, requireBase, requireSession, toSession } from './sessions.ts'
import { type Claim, requireMayContinue, type Target, type Uploads } from './state.ts'

interface ChunkHeaders {
  sessionId: string | null
  contentRange: string | null
}

export type ChunkResult = { isDone: false; session: UploadSession } | { isDone: true; file: UploadedFile }

/** One attempt to append a chunk. */
interface Attempt {
  /** The hash of all bytes so far; null if this process has not seen them all. */
  hash: Sha256 | null
  hasBegun: boolean
  /** The size of the upload after the attempt, if it succeeded. */
  size: number | null
  failure: unknown
}

/** Receives one chunk of a session as a form. */
export async function receiveChunk(
  uploads: Uploads,
  request: Request,
  target: Target,
  headers: ChunkHeaders,
  ended: AbortSignal,
): Promise<ChunkResult> {
  const { objects } = uploads.deps
  const { ref, range } = await parseChunk(uploads, target, headers)
  await using claim = await uploads.writers.claim(ref)
  const { session } = claim
  const isRepeated = await checkPlace(uploads, claim, target, range)
  const bytes = lengthOf(range)
  const form = openUploadForm(request, {
    objects,
    owner: target.ownerUid,
    maxBytes: bytes,
    tooLarge: () => chunkTooLarge(bytes),
    signal: AbortSignal.any([claim.signal, ended]),
  })
  if (isRepeated) {
    // All bytes are stored, so the form is read only for a checksum that is still missing.
    if (session.checksum === null) await Array.fromAsync(form.files)
  } else {
    const attempt = beginAttempt(uploads, session, range)
    try {
      for await (const { stream, slot } of form.files) {
        attempt.hasBegun = true
        const { hash } = attempt
        const intake = openIntake(stream, { maxBytes: bytes, tooLarge: () => chunkTooLarge(bytes), hash })
        claim.watch(intake.silentMs)
        attempt.size = await objects.append(session.uploadId, intake.stream, {
          size: range.start,
          release: intake.release,
          owner: target.ownerUid,
          slot,
        })
      }
    } catch (error) {
      attempt.failure = form.causeOf(error)
    }
    await settle(uploads, claim, range, attempt)
  }
  return await finish(uploads, session, target, range, form.fields.get('checksum'))
}

/** Appends bytes of the session's base, exactly as if they had been sent as a chunk. */
export async function copyRanges(
  uploads: Uploads,
  target: Target,
  sessionId: string,
  { ranges, checksum }: CopyRanges,
): Promise<ChunkResult> {
  const { db, objects } = uploads.deps
  const known = await requireSession(db, target.gameUid, sessionId)
  const range = joinRanges(known, ranges)
  if (typeof range === 'string') throw chunkInvalid(range, await loadCurrentSize(objects, known))
  await using claim = await uploads.writers.claim(known)
  const { session, signal } = claim
  const isRepeated = await checkPlace(uploads, claim, target, range)
  if (isRepeated) {
    if (session.checksum === null) await openBase(uploads, session, ranges, range)
  } else {
    const attempt = beginAttempt(uploads, session, range)
    const { hash } = attempt
    try {
      const base = await openBase(uploads, session, ranges, range)
      attempt.hasBegun = true
      attempt.size = await objects.appendRanges(session.uploadId, base, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs(lengthOf(range)))]),
        owner: target.ownerUid,
        onBytes: hash ? (piece) => addCopy(hash, piece) : undefined,
      })
    } catch (error) {
      attempt.failure = error
    }
    await settle(uploads, claim, range, attempt)
  }
  return await finish(uploads, session, target, range, checksum)
}

async function parseChunk(
  { deps: { db, objects } }: Uploads,
  { gameUid }: Target,
  { sessionId, contentRange }: ChunkHeaders,
): Promise<{ ref: SessionRef; range: ContentRange }> {
  if (sessionId === null || !isUid(sessionId)) {
    throw chunkInvalid('X-Upload-Session-ID must be the session_id of an open upload session.', 0)
  }
  const range = parseContentRange(contentRange)
  if (range) return { ref: { uid: sessionId, gameUid }, range }
  const session = await requireSession(db, gameUid, sessionId)
  const message = 'Content-Range must be "bytes <start>-<end>/<total_size>".'
  throw chunkInvalid(message, await loadCurrentSize(objects, session))
}

/**
 * Returns true if the chunk repeats the last one, whose bytes are all stored. Any other chunk must start
 * where the stored bytes end.
 */
async function checkPlace(
  { deps: { db, objects } }: Uploads,
  { session }: Claim,
  target: Target,
  range: ContentRange,
): Promise<boolean> {
  await requireMayContinue(db, target, session)
  const size = await loadCurrentSize(objects, session)
  const { totalSize } = session
  const isRepeated = range.end + 1 === totalSize && size === totalSize
  if (range.total !== totalSize) throw otherTotal(range.total, totalSize, size)
  if (!isRepeated && range.start !== size) throw outOfOrder(size)
  return isRepeated
}

function beginAttempt({ hashes }: Uploads, session: SessionRow, range: ContentRange): Attempt {
  return { hash: hashes.take(session.uid, range.start), hasBegun: false, size: null, failure: null }
}

/** Bytes of a chunk that arrived stay stored even if the rest failed: the client resumes after them. */
async function settle(
  { deps: { objects }, hashes }: Uploads,
  { session, signal }: Claim,
  range: ContentRange,
  { hash, hasBegun, size: sizeAfter, failure }: Attempt,
): Promise<void> {
  // The session has ended with the owner's access: there is nothing to resume.
  if (failure instanceof AppError && failure.kind === 'forbidden') throw failure
  // A chunk that is longer than announced may be the wrong one, so none of it is kept.
  const isTaken = hasBegun && !isTooLarge(failure)
  if (hasBegun && !isTaken) await objects.truncateUpload(session.uploadId, range.start)
  const size = isTaken ? (sizeAfter ?? (await loadCurrentSize(objects, session))) : range.start
  if (hash?.size === size) hashes.keep(session.uid, hash)
  if (!hasBegun && !signal.aborted && !tellsSize(failure)) throw failure ?? chunkMissing()
  if (failure !== null) throw writeFault(failure, size)
  if (size !== range.end + 1) throw outOfOrder(size)
}

/** Call after the last chunk. `checksum` came with it, and is used if the session was opened without one. */
async function finish(
  uploads: Uploads,
  session: SessionRow,
  target: Target,
  { end }: ContentRange,
  checksum: string | undefined,
): Promise<ChunkResult> {
  if (end + 1 < session.totalSize) return { isDone: false, session: toSession(session, end + 1) }
  return { isDone: true, file: await completeSession(uploads, session, target, checksum) }
}

/** Joins adjacent ranges into one chunk, or returns the message for the sender when they cannot be joined. */
function joinRanges({ totalSize }: SessionRow, ranges: readonly CopyRange[]): ContentRange | string {
  const start = ranges[0]?.at ?? 0
  let end = start
  for (const { at, length } of ranges) {
    if (at !== end) return 'Each range must begin where the one before it ends.'
    end += length
  }
  if (end > totalSize) return `The ranges end at ${end}, but the file has ${totalSize} bytes.`
  if (end - start > COPY_BYTES_MAX) return `One request copies at most ${COPY_BYTES_MAX} bytes.`
  return { start, end: end - 1, total: totalSize }
}

/** If this fails, the client continues the session with chunks from `current_size`. */
async function openBase(
  { deps }: Uploads,
  { gameUid, baseFileUid }: SessionRow,
  ranges: readonly CopyRange[],
  range: ContentRange,
): Promise<RangeSource> {
  await deps.objects.requireRoom(lengthOf(range))
  const unusable = (message?: string) =>
    new AppError('upload_base_unusable', {
      ...(message !== undefined && { message }),
      data: { current_size: range.start },
    })
  const base = await requireBase(deps, gameUid, baseFileUid ?? '').catch((error: unknown) => {
    throw error instanceof AppError && error.kind === 'upload_base_unusable' ? unusable() : error
  })
  const { objectKey: key, size } = base
  if (ranges.every(({ from, length }) => from + length <= size)) return { key, size, ranges }
  throw unusable(`A range ends outside the base, which has ${size} bytes. Send the bytes instead.`)
}

/** Hashes a copy: the object store still needs the bytes. */
async function addCopy(hash: Sha256, bytes: Uint8Array): Promise<void> {
  await hash.room()
  hash.update(new Uint8Array(bytes))
}

function chunkInvalid(message: string, currentSize: number): AppError {
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

function chunkTooLarge(bytes: number): AppError {
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
interface ContentRange {
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
