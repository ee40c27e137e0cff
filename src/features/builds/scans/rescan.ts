import type { Transaction } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { notifyWithNeighbours } from '../../games/service.ts'
import * as queries from './queries.ts'
import { queueScan } from './queue-scan.ts'

/** Scans a file again; until the result it cannot be downloaded. A scan that is stuck starts over. */
export async function rescanFile(tx: Transaction, uid: string): Promise<queries.FileRow> {
  const file = isUid(uid) ? await queries.lockFile(tx, uid) : undefined
  if (!file) throw new AppError('not_found')
  if (file.scan !== 'clean' && file.scan !== 'scanning') {
    throw new AppError('taken', {
      message: 'This file was deleted after its last scan; its developer has to upload it again.',
    })
  }
  const isRepeat = file.scan === 'clean'
  if (isRepeat) await queries.reopenScan(tx, uid)
  await queueScan(tx, file, isRepeat)
  await notifyWithNeighbours(tx, file.gameUid)
  return file
}
