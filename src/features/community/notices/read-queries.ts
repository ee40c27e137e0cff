import { and, eq, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { countChanged, one } from '../../../db/rows.ts'
import { users } from '../../../db/schema/accounts.ts'
import { noticeEvents, noticeReads, noticeSettings } from '../../../db/schema/notices.ts'

/** Everything up to then is read, unless more was already; nothing that is still to come. */
export async function raiseReadUntil(tx: Transaction, userUid: string, until: Date): Promise<void> {
  await tx.execute(sql`
    insert into ${noticeSettings} (user_uid, read_until)
    select ${users.id}, least(${until.toISOString()}::timestamptz, clock_timestamp()) from ${users}
    where ${users.id} = ${userUid} for key share
    on conflict (user_uid) do update set
      read_until = greatest(${noticeSettings.readUntil}, excluded.read_until)`)
  const isCovered = sql`exists (
    select 1 from ${noticeEvents} where ${noticeEvents.uid} = ${noticeReads.eventUid} and ${noticeEvents.at} <= (
      select ${noticeSettings.readUntil} from ${noticeSettings} where ${noticeSettings.userUid} = ${userUid}))`
  await tx.delete(noticeReads).where(and(eq(noticeReads.userUid, userUid), isCovered))
}

/** Events that were deleted meanwhile are left out. */
export async function insertReads(tx: Transaction, userUid: string, uids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    insert into ${noticeReads} (user_uid, event_uid)
    select ${users.id}, ${noticeEvents.uid} from ${noticeEvents}, ${users}
    where ${noticeEvents.uid} = any(${sql.param([...uids])}::uuid[]) and ${users.id} = ${userUid}
    for key share
    on conflict do nothing`)
}

/** When the event was recorded from which on older marks are too many; undefined while there is room. */
export async function findSurplusRead(tx: Transaction, userUid: string, max: number) {
  const row = await one(
    tx
      .select({ at: noticeEvents.at })
      .from(noticeReads)
      .innerJoin(noticeEvents, eq(noticeEvents.uid, noticeReads.eventUid))
      .where(eq(noticeReads.userUid, userUid))
      .orderBy(sql`${noticeEvents.at} desc`)
      .offset(max)
      .limit(1),
  )
  return row?.at
}

/** Deletes events that are older, at most `limit` of them, with their marks. Returns how many. */
export async function deleteOldEvents(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ uid: noticeEvents.uid })
    .from(noticeEvents)
    .where(sql`${noticeEvents.at} < ${before.toISOString()}`)
    .orderBy(noticeEvents.at)
    .limit(limit)
  return await countChanged(db.delete(noticeEvents).where(sql`${noticeEvents.uid} in (${old})`))
}
