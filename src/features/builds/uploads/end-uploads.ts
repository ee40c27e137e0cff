import type { Transaction } from '../../../db/client.ts'
import { discardObjects } from '../../storage/service.ts'
import { abortInFlight } from './in-flight.ts'
import { deleteSessionsOfOwner, listGamesOfOwner } from './queries.ts'

/** Ends every upload to the games of an account: open sessions, and requests in flight in any process. */
export async function endUploadsOfOwner(tx: Transaction, ownerUid: string): Promise<void> {
  const ended = await deleteSessionsOfOwner(tx, ownerUid)
  const unfinished = ended.filter(({ fileUid }) => fileUid === null)
  await discardObjects(tx, {
    keys: unfinished.map(({ objectKey }) => objectKey),
    uploads: unfinished.map(({ uploadId }) => uploadId),
  })
  await abortInFlight(tx, await listGamesOfOwner(tx, ownerUid))
}
