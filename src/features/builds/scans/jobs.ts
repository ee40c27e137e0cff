import type { Db, Transaction } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { defineJob } from '../../../jobs/define.ts'
import { countJobsOf, enqueue } from '../../../jobs/queue.ts'
import * as queries from './queries.ts'

export interface ScanFile {
  fileUid: string
  /** The account that owns the listing. */
  ownerUid: string
  /** The ISO time since when the scanner or the object store has been unreachable. */
  waitingSince?: string
  /** An operator asked for another scan of a clean file: channels stay where they are. */
  isRepeat?: boolean
}

/** Only crashed workers use up attempts; while a service is unreachable the job is enqueued again. */
export const scanFile = defineJob<ScanFile>(
  'scans.run',
  {
    maxAttempts: 25,
    lane: 'scans',
    ownerOf: ({ ownerUid }) => ownerUid,
  },
  async (deps, payload, context) => {
    const { runScan } = await import('./run.ts')
    await runScan(deps, payload, context)
  },
)

/** More files than any release has; an unbounded queue would fill the object store. */
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

/** Call before an upload begins. */
export async function requireScanRoom(db: Db, gameUid: string): Promise<void> {
  const ownerUid = await queries.findOwner(db, gameUid)
  if (ownerUid === undefined || (await countJobsOf(db, scanFile, ownerUid)) < WAITING_SCANS_MAX) return
  throw new AppError('uploads_limited', {
    message: `${WAITING_SCANS_MAX} of your files wait for their scan. Upload more when some of them are scanned.`,
    headers: { 'retry-after': '60' },
  })
}
