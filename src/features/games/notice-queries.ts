import { and, eq, gt, isNull, sql } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { one } from '../../db/rows.ts'
import { noticeEvents } from '../../db/schema/notices.ts'
import { NOTICE_BURST_SECONDS } from '../../domain/notices.ts'

export type NoticeEventInput = typeof noticeEvents.$inferInsert

/** Returns its uid, or undefined if it was recorded before. */
export async function insertNoticeEvent(db: Db, event: NoticeEventInput): Promise<string | undefined> {
  const row = await one(
    db
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
