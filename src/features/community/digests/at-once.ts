import type { Deps } from '../../../deps.ts'
import { choiceOf, sendsAtOnce } from '../../../domain/notices.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { mailAtOnce } from '../../games/jobs.ts'
import { sendAtOnce } from './jobs.ts'
import * as queries from './mail-queries.ts'
import { findSettings } from './queries.ts'

/** Accounts of one transaction, and mails of one job. */
const BATCH = 50

interface Walk {
  eventUid: string
  /** The last account that was looked at; absent at the beginning. */
  afterUser?: string
}

const FIRST_USER = '00000000-0000-0000-0000-000000000000'

/**
 * Records mails for the next followers who want to hear of the event at once, and goes on in another job: one that is
 * killed begins where the last one ended.
 */
export async function recordAtOnce(
  { db }: Pick<Deps, 'db'>,
  { eventUid, afterUser = FIRST_USER }: Walk,
): Promise<void> {
  const event = await queries.findEvent(db, eventUid)
  if (!event || !sendsAtOnce(event.kind)) return
  const { userUid, kind } = event
  if (userUid !== null) {
    const settings = (await findSettings(db, userUid))?.settings
    if (choiceOf(settings?.kinds ?? {}, kind) !== 'at_once') return
  }
  await db.transaction(async (tx) => {
    const users = userUid === null ? await queries.listAtOnce(tx, event, afterUser, BATCH) : [userUid]
    const uids = await queries.insertAtOnce(tx, eventUid, users)
    if (uids.length > 0) await enqueue(tx, sendAtOnce, { uids })
    const last = users.at(-1)
    if (last === undefined || users.length < BATCH) return
    const next = { eventUid, afterUser: last }
    await enqueue(tx, mailAtOnce, next, { key: `${mailAtOnce.name} ${eventUid} ${last}` })
  })
}
