import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type DeployKey, keyExpired } from '../../../domain/actor.ts'
import type { UploadSource } from '../../../domain/builds/files.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
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

/** The game an upload is for, and its deploy key; null for uploads from the website. */
export interface Target {
  gameUid: string
  /** The owner of the game. */
  ownerUid: string
  keyUid: string | null
  /** The only channels that it may upload to; null for all. */
  channels: readonly string[] | null
  /** It may only finish uploads that it began. */
  hasExpired: boolean
}

/** Who uploads, for the file's provenance. */
export interface Uploader {
  gameUid: string
  source: UploadSource
  keyUid: string | null
  keyLast4: string | null
  origin: BuildOrigin | null
}

/** Whether the owner's address is confirmed, without which nobody may upload. */
export async function mayUpload(db: Db, gameUid: string): Promise<boolean> {
  return (await queries.findUploader(db, gameUid, null))?.emailVerified ?? false
}

export async function requireUploader(
  db: Db,
  { gameUid, keyUid, hasExpired }: Pick<Target, 'gameUid' | 'keyUid' | 'hasExpired'>,
): Promise<Uploader> {
  if (hasExpired) throw keyExpired()
  const found = await queries.findUploader(db, gameUid, keyUid)
  if (!found) throw new AppError('not_found')
  if (found.suspendedAt) throw ownerSuspended()
  if (!found.emailVerified) throw new AppError('email_not_verified')
  const { accessToken, origin } = found
  if (origin) return { gameUid, source: 'trusted_publisher', keyUid, keyLast4: null, origin }
  const source = keyUid === null ? 'website' : 'deploy_key'
  return { gameUid, source, keyUid, keyLast4: accessToken?.slice(-4) ?? null, origin: null }
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
