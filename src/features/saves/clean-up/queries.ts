import { eq, sql } from 'drizzle-orm'

import { one, type Transaction } from '../../../db/client.ts'
import { saveRevisions, saveSets, saveSlots } from '../../../db/schema/saves.ts'
import { BIN_DAYS, DAILY_DAYS, EVERY_HOURS, NEWEST_KEPT, REFUSED_DAYS } from '../../../domain/saves.ts'

const ago = (text: string) => sql`now() - ${text}::interval`

/** Locks a set that is due and that nobody works on; undefined if there is none. */
export async function lockDueSet(tx: Transaction): Promise<string | undefined> {
  const row = await one(
    tx
      .select({ uid: saveSets.uid })
      .from(saveSets)
      .where(sql`${saveSets.thinAt} <= now()`)
      .orderBy(saveSets.thinAt)
      .limit(1)
      .for('update', { skipLocked: true }),
  )
  return row?.uid
}

export async function deleteOldBin(tx: Transaction, setUid: string): Promise<void> {
  await tx.execute(sql`
    delete from ${saveSlots} where set_uid = ${setUid} and deleted_at < ${ago(`${BIN_DAYS} days`)}`)
}

/** Keeps the current one, all of the last hours, the newest of each slot, and the last one of each day. */
export async function deleteOldRevisions(tx: Transaction, setUid: string): Promise<void> {
  await tx.execute(sql`
    with placed as (
      select revision.uid, revision.refused, revision.created_at, revision.uid = slot.head_uid as is_current,
        row_number() over newest as place,
        row_number() over (partition by revision.slot_uid, revision.refused,
          date_trunc('day', revision.created_at at time zone 'UTC')
          order by revision.created_at desc, revision.uid desc) as place_of_day
      from ${saveSlots} as slot join ${saveRevisions} as revision on revision.slot_uid = slot.uid
      where slot.set_uid = ${setUid}
      window newest as (partition by revision.slot_uid, revision.refused
        order by revision.created_at desc, revision.uid desc))
    delete from ${saveRevisions} using placed
    where ${saveRevisions.uid} = placed.uid and case
      when placed.refused then placed.created_at < ${ago(`${REFUSED_DAYS} days`)}
      else placed.is_current is not true and placed.place > ${NEWEST_KEPT}
        and placed.created_at < ${ago(`${EVERY_HOURS} hours`)}
        and (placed.created_at < ${ago(`${DAILY_DAYS} days`)} or placed.place_of_day > 1) end`)
}

/** Slots of which only refused revisions were kept, until these were deleted. */
export async function deleteEmptySlots(tx: Transaction, setUid: string): Promise<void> {
  await tx.execute(sql`
    delete from ${saveSlots} as slot where set_uid = ${setUid}
      and not exists (select 1 from ${saveRevisions} where slot_uid = slot.uid)`)
}

/** When something of the set gets old next: in an hour if anything can, else never. */
export async function planNext(tx: Transaction, setUid: string): Promise<void> {
  await tx
    .update(saveSets)
    .set({
      thinAt: sql`case when exists (
        select 1 from ${saveSlots} as slot join ${saveRevisions} as revision on revision.slot_uid = slot.uid
        where slot.set_uid = ${setUid}
        group by slot.uid having slot.deleted_at is not null or bool_or(revision.refused)
          or count(*) > ${NEWEST_KEPT}) then now() + interval '1 hour' end`,
    })
    .where(eq(saveSets.uid, setUid))
}
