import { and, eq, inArray, lt, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { crashDevices, crashes, crashGroups, crashVersions } from '../../../db/schema/crashes.ts'
import { launchDevices } from '../../../db/schema/ingest.ts'

export type NewCrash = typeof crashes.$inferInsert
type NewGroup = typeof crashGroups.$inferInsert

/** The group of this signature, made on first use and held until the transaction ends. */
export async function lockGroup(tx: Transaction, values: NewGroup): Promise<string> {
  const [row] = await tx
    .insert(crashGroups)
    .values(values)
    .onConflictDoUpdate({
      target: [crashGroups.gameUid, crashGroups.signature],
      set: { signature: values.signature },
    })
    .returning({ uid: crashGroups.uid })
  if (!row) throw new Error('The group was not stored')
  return row.uid
}

/** Returns false when this report is already stored. */
export async function insertCrash(tx: Transaction, values: NewCrash): Promise<boolean> {
  const rows = await tx
    .insert(crashes)
    .values(values)
    .onConflictDoNothing({ target: crashes.sentKey })
    .returning({ uid: crashes.uid })
  return rows.length > 0
}

export async function findCrashByKey(db: Db, sentKey: string): Promise<string | undefined> {
  const [row] = await db.select({ uid: crashes.uid }).from(crashes).where(eq(crashes.sentKey, sentKey))
  return row?.uid
}

export async function hasGroup(db: Db, gameUid: string, signature: string): Promise<boolean> {
  const rows = await db
    .select({ uid: crashGroups.uid })
    .from(crashGroups)
    .where(and(eq(crashGroups.gameUid, gameUid), eq(crashGroups.signature, signature)))
  return rows.length > 0
}

/** Returns true when the device is new to the group. Ignores devices that are not recorded for the build. */
export async function insertDevice(
  tx: Transaction,
  { groupUid, buildUid, deviceId }: Pick<NewCrash, 'groupUid' | 'buildUid' | 'deviceId'>,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    insert into ${crashDevices} (group_uid, device_id)
    select ${groupUid}::uuid, device_id from ${launchDevices}
    where build_uid = ${buildUid} and device_id = ${deviceId}
    on conflict do nothing
    returning device_id`)
  return rows.length > 0
}

export async function insertVersion(tx: Transaction, groupUid: string, version: string): Promise<void> {
  await tx.insert(crashVersions).values({ groupUid, version }).onConflictDoNothing()
}

/** A newer build's stack replaces the one that is shown. */
export async function countCrash(
  tx: Transaction,
  { groupUid, buildUid, at, frames }: NewCrash,
  isNewDevice: boolean,
): Promise<void> {
  await tx
    .update(crashGroups)
    .set({
      count: sql`${crashGroups.count} + 1`,
      devices: sql`${crashGroups.devices} + ${isNewDevice ? 1 : 0}`,
      firstAt: sql`least(${crashGroups.firstAt}, ${at.toISOString()})`,
      lastAt: sql`greatest(${crashGroups.lastAt}, ${at.toISOString()})`,
    })
    .where(eq(crashGroups.uid, groupUid))
  await tx
    .update(crashGroups)
    .set({ buildUid, frames, stack: null, symbolicatedAt: null })
    .where(
      and(
        eq(crashGroups.uid, groupUid),
        sql`(${crashGroups.buildUid} is null or ${crashGroups.buildUid} < ${buildUid})`,
      ),
    )
}

/** Deletes expired reports and all but the newest of each group; returns how many. */
export async function deleteOldCrashes(db: Db, before: Date, kept: number, limit: number): Promise<number> {
  const rows = await db.execute(sql`
    delete from ${crashes} where uid in (
      select uid from (
        select uid, created_at, row_number() over (partition by group_uid order by uid desc) as place from ${crashes}
      ) as ranked
      where place > ${kept} or created_at < ${before.toISOString()} limit ${limit}
    ) returning uid`)
  return rows.length
}

export async function deleteOldGroups(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ uid: crashGroups.uid })
    .from(crashGroups)
    .where(lt(crashGroups.lastAt, before))
    .limit(limit)
  const rows = await db
    .delete(crashGroups)
    .where(inArray(crashGroups.uid, old))
    .returning({ uid: crashGroups.uid })
  return rows.length
}
