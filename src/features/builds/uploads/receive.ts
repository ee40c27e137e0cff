import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { LimitName } from '../../../domain/limit-table.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/idle-timeout.ts'
import { requireScanRoom } from '../scans/queue-scan.ts'
import { type ChunkHeaders, type ChunkResult, chunkTooLarge, writeChunk } from './chunks.ts'
import { copyRanges } from './copy.ts'
import { fileTooLarge, toUploadFields } from './fields.ts'
import { type CopyRanges, FILE_BYTES_MAX, type UploadedFile, type UploadSession } from './model.ts'
import { requireUploader, type Target, type Uploads } from './service.ts'
import { openSession } from './sessions.ts'
import { readUploadForm, reserveUpload } from './upload-form.ts'
import { uploadFile } from './whole-file.ts'

export interface UploadArrival extends Arrival {
  set: { headers: Record<string, string | number> }
}

/** Receives a whole file, or one chunk of a session if the headers say so. */
export async function receiveFile(
  uploads: Uploads,
  arrival: UploadArrival,
  target: Target,
): Promise<ChunkResult> {
  const { request } = arrival
  const headers = {
    sessionId: request.headers.get('x-upload-session-id'),
    contentRange: request.headers.get('content-range'),
  }
  const isChunk = headers.sessionId !== null || headers.contentRange !== null
  await countUpload(uploads, arrival, target, isChunk ? 'upload_chunk' : 'upload')
  return await extendIdleTimeout(arrival, async () => {
    using receiving = uploads.inFlight.enter(target.gameUid)
    if (isChunk) return await receiveChunk(uploads, request, target, headers, receiving.signal)
    return { isDone: true, file: await receiveWhole(uploads, request, target, receiving.signal) }
  })
}

export async function receiveSession(
  uploads: Uploads,
  arrival: UploadArrival,
  target: Target,
  readBody: () => Promise<unknown>,
): Promise<UploadSession> {
  await countUpload(uploads, arrival, target, 'upload')
  const uploader = await requireUploader(uploads.deps.db, target)
  await requireScanRoom(uploads.deps.db, target.gameUid)
  return await openSession(uploads, uploader, target, toUploadFields(await readBody()))
}

/** Counts as a chunk, and may take as long as one of its size. */
export async function receiveCopy(
  uploads: Uploads,
  arrival: UploadArrival,
  target: Target,
  sessionId: string,
  copy: CopyRanges,
): Promise<ChunkResult> {
  await countUpload(uploads, arrival, target, 'upload_chunk')
  return await extendIdleTimeout(arrival, async () => await copyRanges(uploads, target, sessionId, copy))
}

async function receiveWhole(
  uploads: Uploads,
  request: Request,
  target: Target,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const { deps } = uploads
  const { gameUid, ownerUid: owner } = target
  const uploader = await requireUploader(deps.db, target)
  await requireScanRoom(deps.db, gameUid)
  await using held = new AsyncDisposableStack()
  held.use(await reserveUpload(deps, gameUid, request, FILE_BYTES_MAX))
  return await uploadFile(uploads, uploader, target, (onFile) =>
    readUploadForm(request, {
      store: deps.store,
      owner,
      maxBytes: FILE_BYTES_MAX,
      tooLarge: fileTooLarge,
      isWanted: ({ field, filename }) => field === 'file' && filename !== '',
      onFile,
      signal,
    }),
  )
}

async function receiveChunk(
  uploads: Uploads,
  request: Request,
  target: Target,
  headers: ChunkHeaders,
  ended: AbortSignal,
): Promise<ChunkResult> {
  return await writeChunk(uploads, target, headers, async ({ bytes, signal, onFile }) => {
    const fields = await readUploadForm(request, {
      store: uploads.deps.store,
      owner: target.ownerUid,
      maxBytes: bytes,
      tooLarge: () => chunkTooLarge(bytes),
      isWanted: () => true,
      onFile,
      signal: AbortSignal.any([signal, ended]),
    })
    return fields.get('checksum')
  })
}

async function countUpload(
  { deps }: Uploads,
  { set }: UploadArrival,
  { gameUid }: Target,
  row: LimitName,
): Promise<void> {
  await countRequest(deps.rates, [row], () => gameUid, set.headers)
}
