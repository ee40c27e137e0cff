import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import type { UploadSource } from '../../../domain/builds/files.ts'
import { AppError } from '../../../errors.ts'
import { createInFlight, type InFlight, ownerSuspended } from './in-flight.ts'
import { CHUNK_BYTES, SINGLE_BYTES_MAX, type UploadProject } from './model.ts'
import * as queries from './queries.ts'
import { createRunningHashes, type RunningHashes } from './running-hashes.ts'
import { createWriters, type Writers } from './writers.ts'

/** State that the uploads of one process share. */
export interface Uploads {
  deps: Deps
  writers: Writers
  hashes: RunningHashes
  inFlight: InFlight
}

export async function createUploads(deps: Deps): Promise<Uploads> {
  const [writers, inFlight] = await Promise.all([createWriters(deps), createInFlight(deps)])
  return { deps, writers, hashes: createRunningHashes(), inFlight }
}

/** Who uploads, for the file's provenance. */
export interface Uploader {
  gameUid: string
  source: UploadSource
  keyLast4: string | null
}

/** Whether the owner's address is confirmed, without which nobody may upload. */
export async function mayUpload(db: Db, gameUid: string): Promise<boolean> {
  return (await queries.findUploader(db, gameUid, null))?.emailVerified ?? false
}

/** `keyUid` is null for uploads from the website. */
export async function requireUploader(db: Db, gameUid: string, keyUid: string | null): Promise<Uploader> {
  const found = await queries.findUploader(db, gameUid, keyUid)
  if (!found) throw new AppError('not_found')
  if (found.suspendedAt) throw ownerSuspended()
  if (!found.emailVerified) throw new AppError('email_not_verified')
  return {
    gameUid,
    source: keyUid === null ? 'website' : 'deploy_key',
    keyLast4: found.accessToken?.slice(-4) ?? null,
  }
}

export async function readProject({ db, config }: Deps, { gameUid }: DeployKey): Promise<UploadProject> {
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
