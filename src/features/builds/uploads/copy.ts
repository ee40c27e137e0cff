import { openObjectSource } from '../../../clients/object-store/byte-source.ts'
import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { AppError } from '../../../errors.ts'
import { createBlockReader } from '../../../lib/zip/block-reader.ts'
import { type Base, requireBase } from './base.ts'
import { chunkInvalid, type ChunkResult, continueSession } from './chunks.ts'
import type { ContentRange } from './content-range.ts'
import { COPY_BYTES_MAX, type CopyRange } from './model.ts'
import type { SessionRow } from './queries.ts'
import type { Uploads } from './service.ts'
import { readCurrentSize, requireSession } from './sessions.ts'
import { requestMs } from './upload-form.ts'

/** Appends bytes of the session's base, exactly as if they had been sent as a chunk. */
export async function copyRanges(
  uploads: Uploads,
  gameUid: string,
  sessionId: string,
  ranges: readonly CopyRange[],
): Promise<ChunkResult> {
  const { deps } = uploads
  const session = await requireSession(deps.db, gameUid, sessionId)
  const whole = joinRanges(session, ranges)
  if (typeof whole === 'string') throw chunkInvalid(whole, await readCurrentSize(deps.store, session))
  const { uid } = session
  return await continueSession(uploads, { uid, gameUid }, whole, async ({ bytes, signal, onFile }) => {
    const base = await openBase(uploads, session, ranges, whole.start)
    const time = AbortSignal.timeout(requestMs(bytes))
    await onFile(readRanges(deps.store, base, ranges, AbortSignal.any([signal, time])))
  })
}

/** The ranges as one chunk; a sentence if they are none. */
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

/** Reads in blocks, because unchanged files of a build are small and lie close together. */
function readRanges(
  store: ObjectStore,
  { objectKey, size }: Base,
  ranges: readonly CopyRange[],
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = createBlockReader(openObjectSource(store, objectKey, size))
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const { from, length } of ranges) {
      for await (const piece of reader.stream(from, length)) {
        signal.throwIfAborted()
        yield piece
      }
    }
  }
  const source = pieces()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await source.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await source.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}
