import type { Db } from '../../db/client.ts'
import { one } from '../../db/rows.ts'
import { noticeEvents } from '../../db/schema/notices.ts'

export type NoticeEventInput = typeof noticeEvents.$inferInsert

/** Returns its uid, or undefined if it was recorded before. */
export async function insertNoticeEvent(db: Db, event: NoticeEventInput): Promise<string | undefined> {
  const row = await one(
    db.insert(noticeEvents).values(event).onConflictDoNothing().returning({ uid: noticeEvents.uid }),
  )
  return row?.uid
}
