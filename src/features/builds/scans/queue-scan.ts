import type { Db, Transaction } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { countJobsOf, enqueue } from '../../../jobs/queue.ts'
import { scanFile } from './jobs.ts'
import * as queries from './queries.ts'

/** More than any release has files; a queue without an end would only fill the store. */
export const WAITING_SCANS_MAX = 200

interface QueuedFile {
  uid: string
  gameUid: string
}

/** A file's scan is queued once: another request for it starts over. */
export async function queueScan(
  tx: Transaction,
  { uid: fileUid, gameUid }: QueuedFile,
  isRepeat = false,
): Promise<void> {
  const ownerUid = await queries.findOwner(tx, gameUid)
  if (ownerUid === undefined) throw new AppError('not_found')
  await enqueue(tx, scanFile, { fileUid, ownerUid, isRepeat }, { key: scanKey(fileUid) })
}

export function scanKey(fileUid: string): string {
  return `scan:${fileUid}`
}

/** Asked before an upload begins. */
export async function requireScanRoom(db: Db, gameUid: string): Promise<void> {
  const ownerUid = await queries.findOwner(db, gameUid)
  if (ownerUid === undefined || (await countJobsOf(db, scanFile, ownerUid)) < WAITING_SCANS_MAX) return
  throw new AppError('uploads_limited', {
    message: `${WAITING_SCANS_MAX} of your files wait for their scan. Upload more when some of them are scanned.`,
    headers: { 'retry-after': '60' },
  })
}
