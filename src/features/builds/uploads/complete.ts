import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { AppError } from '../../../errors.ts'
import { createSha256 } from '../../../lib/sha256/create.ts'
import type { Sha256 } from '../../../lib/sha256/sha256.ts'
import { releaseObject } from '../../storage/service.ts'
import { readLateChecksum } from './fields.ts'
import type { UploadedFile } from './model.ts'
import * as queries from './queries.ts'
import { isOutcomeUnknown, recordFile, showFile, type StoredFile } from './record.ts'
import type { Uploads } from './service.ts'

/**
 * Called when all bytes are stored, with the checksum of a session that was opened without one. Every step is
 * idempotent, so it can be repeated after a crash.
 */
export async function completeSession(
  { deps, hashes }: Uploads,
  session: queries.SessionRow,
  lateChecksum?: string,
): Promise<UploadedFile> {
  const { uid, objectKey, totalSize } = session
  const checksum = session.checksum ?? readLateChecksum(lateChecksum, totalSize)
  const file = fileOf(session, checksum)
  if (session.fileUid !== null) return showFile(file)
  await deps.store.completeUpload(session.uploadId)
  const hash = hashes.take(uid, file.size) ?? (await hashObject(deps.store, objectKey))
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
function fileOf(session: queries.SessionRow, checksum: string): StoredFile {
  const { uid, gameUid, buildUid, filename, totalSize, objectKey, source, keyLast4, origin } = session
  return { uid, gameUid, buildUid, filename, size: totalSize, checksum, objectKey, source, keyLast4, origin }
}

async function hashObject(store: ObjectStore, key: string): Promise<Sha256> {
  const hash = createSha256()
  for await (const bytes of (await store.get(key)).stream) {
    await hash.room()
    hash.update(bytes)
  }
  return hash
}
