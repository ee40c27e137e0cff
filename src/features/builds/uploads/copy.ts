import { AppError } from '../../../errors.ts'
import { chunkInvalid, type ChunkResult, type ContentRange, continueSession } from './chunks.ts'
import { COPY_BYTES_MAX, type CopyRange, type CopyRanges } from './model.ts'
import type { SessionRow } from './queries.ts'
import type { Target, Uploads } from './service.ts'
import { type Base, readCurrentSize, requireBase, requireSession } from './sessions.ts'
import { requestMs } from './upload-form.ts'

/** Appends bytes of the session's base, exactly as if they had been sent as a chunk. */
export async function copyRanges(
  uploads: Uploads,
  target: Target,
  sessionId: string,
  { ranges, checksum }: CopyRanges,
): Promise<ChunkResult> {
  const { deps } = uploads
  const { gameUid } = target
  const session = await requireSession(deps.db, gameUid, sessionId)
  const whole = joinRanges(session, ranges)
  if (typeof whole === 'string') throw chunkInvalid(whole, await readCurrentSize(deps.store, session))
  const { uid } = session
  const ref = { uid, gameUid }
  return await continueSession(uploads, ref, target, whole, async ({ bytes, signal, onRanges }) => {
    await deps.store.requireRoom(bytes)
    const base = await openBase(uploads, session, ranges, whole.start)
    const source = { key: base.objectKey, size: base.size, ranges }
    await onRanges(source, AbortSignal.any([signal, AbortSignal.timeout(requestMs(bytes))]))
    return checksum
  })
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

/** After a failure the session goes on with chunks, from `current_size`. */
async function openBase(
  { deps }: Uploads,
  { gameUid, baseFileUid }: SessionRow,
  ranges: readonly CopyRange[],
  currentSize: number,
): Promise<Base> {
  const unusable = (message?: string) =>
    new AppError('upload_base_unusable', {
      ...(message !== undefined && { message }),
      data: { current_size: currentSize },
    })
  const base = await requireBase(deps, gameUid, baseFileUid ?? '').catch((error: unknown) => {
    throw error instanceof AppError && error.kind === 'upload_base_unusable' ? unusable() : error
  })
  if (ranges.every(({ from, length }) => from + length <= base.size)) return base
  throw unusable(`A range ends outside the base, which has ${base.size} bytes. Send the bytes instead.`)
}
