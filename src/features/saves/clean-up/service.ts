import type { Deps } from '../../../deps.ts'
import { discardObjects } from '../../storage/service.ts'
import { deleteUnused } from '../shared-queries.ts'
import * as queries from './queries.ts'

/** Each set is a transaction of its own, under the lock that writes take, too. */
export async function thinDueSaves({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<void> {
  for (let isOver = false; !isOver;) {
    signal.throwIfAborted()
    isOver = await db.transaction(async (tx) => {
      const setUid = await queries.lockDueSet(tx)
      if (setUid === undefined) return true
      await queries.deleteOldBin(tx, setUid)
      await queries.deleteOldRevisions(tx, setUid)
      await queries.deleteEmptySlots(tx, setUid)
      await discardObjects(tx, { keys: await deleteUnused(tx, setUid) })
      await queries.planNext(tx, setUid)
      return false
    })
  }
}
