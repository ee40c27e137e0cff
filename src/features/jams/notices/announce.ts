import { isOutageError } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { recordNotice } from '../../games/notice-events.ts'
import { lockJam } from '../shared-queries.ts'
import { listMilestones } from './milestones.ts'
import * as queries from './queries.ts'

const BATCH = 100
const FIRST_UID = '00000000-0000-0000-0000-000000000000'
/** A little longer than milestones are told. */
const RECENT_DAYS = 3

type Services = Pick<Deps, 'db' | 'log'>

/**
 * Records what is due and was not recorded. Each jam is looked at again in the transaction that records it, because its
 * times may have moved, and each milestone is recorded once, however many processes run this.
 */
export async function announceDue(deps: Services, signal: AbortSignal): Promise<void> {
  let afterUid = FIRST_UID
  while (!signal.aborted) {
    const active = await queries.listActive(deps.db, afterUid, RECENT_DAYS, BATCH)
    const keys = active.flatMap(({ jam, now }) => listMilestones(jam, now).map(({ onceKey }) => onceKey))
    const recorded = await queries.listRecorded(deps.db, keys)
    for (const { jam, now } of active) {
      if (signal.aborted) return
      const isNews = listMilestones(jam, now).some(({ onceKey }) => !recorded.has(onceKey))
      if (isNews) await announceJam(deps, jam.uid)
    }
    const last = active.at(-1)
    if (!last || active.length < BATCH) return
    afterUid = last.jam.uid
  }
}

async function announceJam({ db, log }: Services, uid: string): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      const found = await lockJam(tx, uid, null, 'share')
      if (!found || found.jam.visibility === 'draft') return
      for (const { onceKey, ...facts } of listMilestones(found.jam, found.now))
        await recordNotice(tx, { kind: 'jam', jamUid: uid, facts, onceKey })
    })
  } catch (error) {
    if (isOutageError(error)) throw error
    log.error('The news of a jam could not be recorded', { jam: uid, error })
  }
}
