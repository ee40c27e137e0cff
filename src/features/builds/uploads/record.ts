import type { ObjectStore } from '../../../clients/objects/object-store.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { UploadSource } from '../../../domain/builds/files.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
import { AppError } from '../../../errors.ts'
import { respond } from '../../../lib/respond.ts'
import { createSha256, type Sha256 } from '../../../lib/sha256/sha256.ts'
import { notifyChange } from '../../games/service.ts'
import { releaseObject } from '../../storage/service.ts'
import { findChannelRefusal } from '../deploy-keys/service.ts'
import { queueScan } from '../scans/jobs.ts'
import { findBuild, lockBuildRow } from '../shared-queries.ts'
import { parseLateChecksum } from './fields.ts'
import { UploadedFile } from './model.ts'
import * as queries from './queries.ts'
import { ownerSuspended, type Target, type Uploads } from './state.ts'

/** A file whose bytes are stored and checked. */
interface StoredFile {
  uid: string
  gameUid: string
  buildUid: string
  filename: string
  size: number
  checksum: string
  objectKey: string
  source: UploadSource
  keyLast4: string | null
  origin: BuildOrigin | null
  /** The deploy key that sends it; null for the website. */
  keyUid: string | null
  /** The only channels that the key may change; null for all. */
  keyChannels: readonly string[] | null
}

/** Inserts the file's row, enqueues its scan and ends its session, in one transaction. */
export async function recordFile(
  deps: Deps,
  file: StoredFile,
  sessionUid: string | null = null,
): Promise<UploadedFile> {
  try {
    return await deps.db.transaction(async (tx) => {
      if (!(await lockBuildRow(tx, file.gameUid, file.buildUid, 'key share')))
        throw new AppError('build_not_found')
      // Read before anything is written: a failure after the commit would look as if the file were not recorded.
      const recorded = await toFile(tx, file)
      if (file.keyUid !== null && (await queries.isKeyRevoked(tx, file.keyUid)))
        throw new AppError('deploy_key_revoked')
      const refusal = await findChannelRefusal(tx, { channels: file.keyChannels }, file.buildUid)
      if (refusal !== null) throw new AppError('wrong_credential_kind', { message: refusal })
      if (await queries.isOwnerSuspended(tx, file.gameUid)) throw ownerSuspended()
      if (sessionUid !== null) {
        const session = await queries.lockSession(tx, sessionUid)
        if (!session) throw new AppError('upload_session_gone')
        if (session.fileUid !== null) return recorded
        await queries.finishSession(tx, sessionUid, file)
      }
      await queries.insertFile(tx, file)
      await queueScan(tx, file)
      await notifyChange(tx, file.gameUid)
      return recorded
    })
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('file_record_failed', { cause: error })
  }
}

async function toFile(db: Db, file: StoredFile): Promise<UploadedFile> {
  const build = await findBuild(db, file.buildUid)
  if (!build) throw new AppError('build_not_found')
  const { app, appName: app_name } = build
  return respond(UploadedFile, file, {
    file_uid: file.uid,
    build_id: file.buildUid,
    scan: 'scanning',
    app,
    app_name,
  })
}

/** After such an error the row may exist, so the object stays; the hourly job removes it if there is no row. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'file_record_failed'
}

/**
 * Called when all bytes are stored, with the checksum of a session that was opened without one. Every step is
 * idempotent, so it can be repeated after a crash.
 */
export async function completeSession(
  { deps, hashes }: Uploads,
  session: queries.SessionRow,
  { keyUid, channels: keyChannels }: Pick<Target, 'keyUid' | 'channels'>,
  lateChecksum?: string,
): Promise<UploadedFile> {
  const { uid, objectKey, totalSize } = session
  const checksum = session.checksum ?? parseLateChecksum(lateChecksum, totalSize)
  const file = { ...fileOf(session, checksum), keyUid, keyChannels }
  if (session.fileUid !== null) return await toFile(deps.db, file)
  await deps.objects.completeUpload(session.uploadId)
  const hash = hashes.take(uid, file.size) ?? (await hashObject(deps.objects, objectKey))
  if ((await hash.digest()) !== checksum) {
    const ended = await queries.deleteSession(deps.db, uid)
    if (ended?.fileUid === null) await releaseObject(deps, objectKey)
    throw new AppError('checksum_mismatch')
  }
  try {
    return await recordFile(deps, file, uid)
  } catch (error) {
    if (isOutcomeUnknown(error)) hashes.keep(uid, hash)
    else await releaseObject(deps, objectKey)
    throw error
  }
}

/** The file gets the uid of its session, because its object is named after that. */
function fileOf(session: queries.SessionRow, checksum: string): Omit<StoredFile, 'keyUid' | 'keyChannels'> {
  const { uid, gameUid, buildUid, filename, totalSize, objectKey, source, keyLast4, origin } = session
  return { uid, gameUid, buildUid, filename, size: totalSize, checksum, objectKey, source, keyLast4, origin }
}

async function hashObject(objects: ObjectStore, key: string): Promise<Sha256> {
  const hash = createSha256()
  for await (const bytes of (await objects.get(key)).stream) {
    await hash.room()
    hash.update(bytes)
  }
  return hash
}
