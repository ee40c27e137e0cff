import type { Deps } from '../../../deps.ts'
import type { UploadSource } from '../../../domain/builds/files.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
import { AppError } from '../../../errors.ts'
import { notifyChange } from '../../games/service.ts'
import { lockBuildRow } from '../rows/shared-queries.ts'
import { queueScan } from '../scans/queue-scan.ts'
import { ownerSuspended } from './in-flight.ts'
import type { UploadedFile } from './model.ts'
import * as queries from './queries.ts'

/** A file whose bytes are stored and checked. */
export interface StoredFile {
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
}

export function objectKeyOf(gameUid: string, fileUid: string): string {
  return `builds/${gameUid}/${fileUid}.zip`
}

/** Inserts the file's row, enqueues its scan and ends its session, in one transaction. */
export async function recordFile(
  deps: Deps,
  file: StoredFile,
  sessionUid: string | null = null,
): Promise<UploadedFile> {
  try {
    await deps.db.transaction(async (tx) => {
      if (!(await lockBuildRow(tx, file.gameUid, file.buildUid, 'key share')))
        throw new AppError('build_not_found')
      if (await queries.isOwnerSuspended(tx, file.gameUid)) throw ownerSuspended()
      if (sessionUid !== null) {
        const session = await queries.holdSession(tx, sessionUid)
        if (!session) throw new AppError('upload_session_gone')
        if (session.fileUid !== null) return
        await queries.finishSession(tx, sessionUid, file)
      }
      await queries.insertFile(tx, file)
      await queueScan(tx, file)
      await notifyChange(tx, file.gameUid)
    })
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('file_record_failed', { cause: error })
  }
  return showFile(file)
}

export function showFile(file: StoredFile): UploadedFile {
  return {
    file_uid: file.uid,
    build_id: file.buildUid,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    scan: 'scanning',
  }
}

/** After such an error the row may exist, so the object stays; the hourly job removes it if there is no row. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'file_record_failed'
}
