import { type Db, deleteInBatches } from '../../../db/client.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import {
  burstKey,
  groupBursts,
  NOTICE_KINDS,
  NOTICES_COUNTED_MAX,
  type ToldEvent,
} from '../../../domain/notices.ts'
import { invalidField } from '../../../errors.ts'
import type { NoticesRead } from './model.ts'
import * as queries from './queries.ts'
import { listNoticeRefs, NO_END } from './queries.ts'
import { oldestNotice } from './service.ts'

/** Notifies every process that an account read notices: its uid. */
export const NOTICES_READ = 'notices_read'

/** Of one account; the oldest notices count as read beyond. */
export const READS_MAX = 1000
/** Younger events may still be committed in another order than they were recorded. */
const SETTLED_MS = 60_000
const DELETED_AT_ONCE = 5000

/** Marks single notices, or all up to a moment. Marking what one cannot see does nothing. */
export async function markRead(
  { db }: Pick<Deps, 'db'>,
  userUid: string,
  { uids, until }: NoticesRead,
): Promise<void> {
  if ((uids === undefined) === (until === undefined))
    throw invalidField(uids ? 'until' : 'uids', 'or the other of uids and until must be sent, not both.')
  await db.transaction(async (tx) => {
    if (until !== undefined) {
      await queries.raiseReadUntil(tx, userUid, new Date(until))
    } else if (uids) {
      const window = { userUid, kinds: NOTICE_KINDS, since: oldestNotice(), until: NO_END, unreadOnly: true }
      const unread = await listNoticeRefs(tx, [window], NOTICES_COUNTED_MAX)
      const marked = findMarked(unread, new Set(uids.map((uid) => uid.toLowerCase())))
      await queries.insertReads(
        tx,
        userUid,
        marked.map(({ uid }) => uid),
      )
      const surplus = await queries.findSurplusRead(tx, userUid, READS_MAX)
      const folded = unread.length < NOTICES_COUNTED_MAX ? findReadUntil(unread, marked) : undefined
      const readUntil = surplus ?? folded
      if (readUntil) await queries.raiseReadUntil(tx, userUid, readUntil)
    }
    await notify(tx, NOTICES_READ, userUid)
  })
}

/** A notice that stands for many events marks all of them. */
function findMarked(unread: readonly ToldEvent[], uids: ReadonlySet<string>): ToldEvent[] {
  const notices = groupBursts(unread).filter(({ uid }) => uids.has(uid))
  const alone = new Set(notices.filter(({ count }) => count === 1).map(({ uid }) => uid))
  const bursts = new Set(notices.filter(({ count }) => count > 1).map(burstKey))
  return unread.filter((event) => alone.has(event.uid) || bursts.has(burstKey(event)))
}

/** Up to when everything is read now; undefined if the oldest notice is not. */
function findReadUntil(unread: readonly ToldEvent[], marked: readonly ToldEvent[]): Date | undefined {
  const isMarked = new Set(marked)
  const oldest = unread.findLast((event) => !isMarked.has(event))
  const newest = marked[0]
  if (!newest) return undefined
  const end = Math.min(oldest ? oldest.at - 1 : newest.at, Date.now() - SETTLED_MS)
  return marked.some(({ at }) => at <= end) ? new Date(end) : undefined
}

/** Deletes what is no longer told, with its marks. */
export async function deleteOldNotices(db: Db, signal: AbortSignal): Promise<void> {
  const before = oldestNotice()
  await deleteInBatches(DELETED_AT_ONCE, (limit) => queries.deleteOldEvents(db, before, limit), signal)
}
