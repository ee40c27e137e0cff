import { and, eq, gt, isNull, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../db/client.ts'
import { LOCKS } from '../../db/locks/locks.ts'
import { one } from '../../db/rows.ts'
import { noticeEvents } from '../../db/schema/notices.ts'
import { NOTICE_BURST_SECONDS } from '../../domain/notices.ts'

type NoticeEventInput = typeof noticeEvents.$inferInsert

/** Returns its uid, or undefined if it was recorded before. The lock lets digests wait for events that are being recorded. */
export async function insertNoticeEvent(
  tx: Transaction,
  event: NoticeEventInput,
): Promise<string | undefined> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${LOCKS.noticeEvents})`)
  const row = await one(
    tx
      .insert(noticeEvents)
      .values({ ...event, burstAt: burstOf(event) })
      .onConflictDoNothing()
      .returning({ uid: noticeEvents.uid }),
  )
  return row?.uid
}

export async function deleteNoticeEvent(db: Db, onceKey: string) {
  return await one(
    db
      .delete(noticeEvents)
      .where(eq(noticeEvents.onceKey, onceKey))
      .returning({ userUid: noticeEvents.userUid }),
  )
}

/** The burst of the events before about the same listing for the same readers, if that began just now. */
function burstOf({ gameUid, userUid }: NoticeEventInput) {
  if (!gameUid) return sql`clock_timestamp()`
  const began = sql`clock_timestamp() - make_interval(secs => ${NOTICE_BURST_SECONDS})`
  const isSame = and(
    eq(noticeEvents.gameUid, gameUid),
    userUid ? eq(noticeEvents.userUid, userUid) : isNull(noticeEvents.userUid),
    gt(noticeEvents.at, began),
    gt(noticeEvents.burstAt, began),
  )
  return sql`coalesce((select max(${noticeEvents.burstAt}) from ${noticeEvents} where ${isSame}), clock_timestamp())`
}
