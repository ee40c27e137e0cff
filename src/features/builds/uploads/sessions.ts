import type { ObjectStore } from '../../../clients/objects/object-store.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { objectKeyOfFile } from '../../../domain/builds/files.ts'
import { AppError } from '../../../errors.ts'
import type { Fields } from '../../../lib/form/multipart.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import { respond } from '../../../lib/respond.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import { requireStorage } from '../../storage/quota.ts'
import { releaseUpload } from '../../storage/service.ts'
import { type ChannelLimit, requireBuildChannels } from '../deploy-keys/service.ts'
import { findBuildForUpload } from '../registry/identify.ts'
import { parseFilename, parseIdentification, parseSessionChecksum, parseTotalSize } from './fields.ts'
import { OPEN_SESSIONS_MAX, OpenSession, SESSION_MS, UploadSession } from './model.ts'
import * as queries from './queries.ts'
import { requireMayContinue, type Target, type Uploader, type Uploads } from './state.ts'

export async function openSession(
  { deps }: Uploads,
  uploader: Uploader,
  limit: ChannelLimit,
  fields: Fields,
): Promise<UploadSession> {
  const { db, objects } = deps
  const { gameUid } = uploader
  const filename = parseFilename(fields.get('filename'))
  const checksum = parseSessionChecksum(fields)
  const totalSize = parseTotalSize(fields.get('total_size'))
  await objects.requireRoom(totalSize)
  const build = await findBuildForUpload(db, gameUid, parseIdentification(fields))
  await requireBuildChannels(db, limit, build)
  const base = fields.get('base_file_uid')
  const baseFileUid = base ? (await requireBase(deps, gameUid, base)).uid : null
  await refuseTooMany(db, gameUid)
  const uid = createUid()
  const objectKey = objectKeyOfFile(gameUid, uid)
  const uploadId = await objects.openUpload(objectKey)
  const expiresAt = new Date(Date.now() + SESSION_MS)
  const values = {
    uid,
    filename,
    checksum,
    totalSize,
    baseFileUid,
    buildUid: build.uid,
    objectKey,
    uploadId,
    expiresAt,
  }
  try {
    const session = await db.transaction(async (tx) => {
      // Sessions of one game are opened one after the other, so that their count is exact.
      await lockGameRow(tx, gameUid, 'no key update')
      await refuseTooMany(tx, gameUid)
      await requireStorage(tx, deps.config, gameUid, totalSize)
      if (baseFileUid !== null && !(await queries.findBase(tx, gameUid, baseFileUid)))
        throw new AppError('upload_base_unusable')
      return await queries.insertSession(tx, { ...uploader, ...values })
    })
    return toSession(session, 0)
  } catch (error) {
    await releaseUpload(deps, values)
    throw error
  }
}

export async function loadSession({ deps }: Uploads, target: Target, uid: string): Promise<UploadSession> {
  const session = await requireSession(deps.db, target.gameUid, uid)
  if (target.hasExpired) await requireMayContinue(deps.db, target, session)
  return toSession(session, await loadCurrentSize(deps.objects, session))
}

/** The uploads of a game that can be continued, whoever began them. */
export async function listSessions(
  { db, objects }: Pick<Deps, 'db' | 'objects'>,
  gameUid: string,
): Promise<OpenSession[]> {
  const rows = await queries.listOpenSessions(db, gameUid)
  const shown = await Promise.all(
    rows.map(async (row) => {
      const size = await loadCurrentSize(objects, row).catch(orGone)
      return size === null ? [] : [toOpenSession(row, size)]
    }),
  )
  return shown.flat()
}

/** A session whose bytes are gone from the object store cannot be continued. */
function orGone(error: unknown): null {
  if (error instanceof AppError && error.kind === 'upload_session_gone') return null
  throw error
}

function toOpenSession(row: queries.SessionRow, currentSize: number): OpenSession {
  return respond(OpenSession, row, { ...toSession(row, currentSize), build_id: row.buildUid })
}

/** A file that was already recorded is not deleted. */
export async function endSession({ deps, writers }: Uploads, target: Target, uid: string): Promise<void> {
  const { gameUid, keyUid } = target
  if (!isUid(uid)) throw new AppError('upload_session_gone')
  if (keyUid !== null) await requireMayContinue(deps.db, target, await requireSession(deps.db, gameUid, uid))
  await using claim = await writers.claim({ uid, gameUid })
  const ended = await queries.deleteSession(deps.db, claim.session.uid)
  if (ended?.fileUid === null) await releaseUpload(deps, ended)
}

export async function requireSession(db: Db, gameUid: string, uid: string): Promise<queries.SessionRow> {
  const session = isUid(uid) ? await queries.findSession(db, { uid, gameUid }) : undefined
  if (!session) throw new AppError('upload_session_gone')
  return session
}

/** Read from the object store, which is correct after any crash, even one between completing and recording. */
export async function loadCurrentSize(objects: ObjectStore, session: queries.SessionRow): Promise<number> {
  if (session.fileUid !== null) return session.totalSize
  try {
    return await objects.uploadSize(session.uploadId)
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'upload_session_gone')) throw error
    return (await objects.completeUpload(session.uploadId)).size
  }
}

export function toSession(session: queries.SessionRow, currentSize: number): UploadSession {
  return respond(UploadSession, session, {
    session_id: session.uid,
    expected_size: session.totalSize,
    current_size: currentSize,
  })
}

async function refuseTooMany(db: Db, gameUid: string): Promise<void> {
  const { open, firstExpiry } = await queries.countOpenSessions(db, gameUid)
  if (open < OPEN_SESSIONS_MAX) return
  const seconds = Math.max(1, Math.ceil((firstExpiry.getTime() - Date.now()) / 1000))
  throw new AppError('uploads_limited', {
    message: `This game already has ${OPEN_SESSIONS_MAX} open upload sessions. Complete or delete one first.`,
    headers: { 'retry-after': String(seconds) },
  })
}

interface Base {
  uid: string
  size: number
  objectKey: string
}

/** A clean, stored file of this game. Another game's file gets the same error as one that does not exist. */
export async function requireBase({ db, objects }: Deps, gameUid: string, uid: string): Promise<Base> {
  const base = isUid(uid) ? await queries.findBase(db, gameUid, uid) : undefined
  if (base && (await objects.head(base.objectKey))?.size === base.size) return base
  throw new AppError('upload_base_unusable')
}
