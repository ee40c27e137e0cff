import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import type { LimitName } from '../../../domain/limit-table.ts'
import { AppError } from '../../../errors.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/requests.ts'
import { requireScanRoom } from '../scans/jobs.ts'
import { type ChunkResult, copyRanges, receiveChunk } from './chunks.ts'
import { toUploadFields } from './fields.ts'
import {
  CHUNK_BYTES,
  type CopyRanges,
  SINGLE_BYTES_MAX,
  type UploadProject,
  type UploadSession,
} from './model.ts'
import * as queries from './queries.ts'
import { openSession } from './sessions.ts'
import { requireUploader, type Target, type Uploads } from './state.ts'
import { receiveWhole } from './whole-file.ts'

interface UploadArrival extends Arrival {
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

/** Counts as a chunk and has the time limit of a chunk of the same size. */
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

async function countUpload(
  { deps }: Uploads,
  { set }: UploadArrival,
  { gameUid }: Target,
  row: LimitName,
): Promise<void> {
  await countRequest(deps.rates, [row], () => gameUid, set.headers)
}

export async function loadProject({ db, config }: Deps, { gameUid }: DeployKey): Promise<UploadProject> {
  const game = await queries.findGameName(db, gameUid)
  if (!game) throw new AppError('not_found')
  return {
    game_uid: gameUid,
    vanity_name: game.vanityName,
    name: game.name,
    upload_url: config.uploadUrl,
    chunk_size: CHUNK_BYTES,
    single_limit: SINGLE_BYTES_MAX,
  }
}
