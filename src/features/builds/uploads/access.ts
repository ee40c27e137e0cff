import type { Db } from '../../../db/client.ts'
import { keyExpired } from '../../../domain/actor.ts'
import type { UploadSource } from '../../../domain/builds/files.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
import { AppError } from '../../../errors.ts'
import { requireBuildChannels } from '../deploy-keys/service.ts'
import { requireBuild } from '../service.ts'
import * as queries from './queries.ts'

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

/**
 * An expired key may finish uploads that it opened. Only the same run of a trusted publisher may continue its upload,
 * because the recorded origin must be true of all bytes.
 */
export async function requireMayContinue(
  db: Db,
  { keyUid, gameUid, channels, hasExpired }: Target,
  session: queries.SessionRow,
): Promise<void> {
  const isOwn = keyUid !== null && session.keyUid === keyUid
  if (hasExpired && !isOwn) throw keyExpired()
  if (channels !== null)
    await requireBuildChannels(db, { channels }, await requireBuild(db, gameUid, session.buildUid))
  if (session.origin === null || isOwn) return
  const { origin = null } = (keyUid !== null && (await queries.findUploader(db, gameUid, keyUid))) || {}
  if (Bun.deepEquals(origin, session.origin)) return
  throw new AppError('forbidden', {
    message:
      'A pipeline of a trusted publisher began this upload, and only the same run of it can go on. Open a new session.',
  })
}

export function ownerSuspended(): AppError {
  return new AppError('forbidden', {
    message: 'The owner of this game is suspended, so nothing can be uploaded to it.',
  })
}
