import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'

import { type Db, hasRows, textList, type Transaction } from '../../../db/client.ts'
import { jamEntries, jamPins, jams } from '../../../db/schema/jams.ts'
import { SCAN_WAIT_MINUTES } from '../../../domain/jams/entries.ts'

const graceEnd = sql`(jam.ends_at + jam.grace_minutes * interval '1 minute')`

/** Uploads are dated by the clock of the process that received them, which may differ from that of the database. */
const CLOCKS_APART = sql`interval '2 seconds'`

/** When the upload of the row `file` began: its uid, a UUIDv7, is made then. */
const begunAt = sql`case when substr(file.uid::text, 15, 1) = '7'
  then to_timestamp(('x' || substr(replace(file.uid::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
  else file.uploaded_at end`

/** Uploads that began by the end and finished within the grace; entries by a late link are dated by themselves. */
const isInTime = sql`(file.uploaded_at <= case when entry.late then greatest(entry.submitted_at, ${graceEnd}) else ${graceEnd} end
  and ${begunAt} - ${CLOCKS_APART} <= case when entry.late then greatest(entry.submitted_at, jam.ends_at) else jam.ends_at end)`

/** Jams whose end and grace are over, and whose versions are not fixed. */
export async function listDueJams(db: Db, limit: number): Promise<{ uid: string; isScanning: boolean }[]> {
  return await db.execute<{ uid: string; isScanning: boolean }>(sql`
    select jam.uid, now() < ${graceEnd} + ${SCAN_WAIT_MINUTES} * interval '1 minute' and exists (
        select 1 from jam_entries as entry
        join files as file on file.game_uid = entry.game_uid and file.scan = 'scanning'
        join builds as build on build.uid = file.build_uid and build.channel = 'stable'
        join apps as app on app.uid = build.app_uid and app.slug = 'main'
        where entry.jam_uid = jam.uid and entry.withdrawn_at is null and ${isInTime}) as "isScanning"
    from jams as jam
    where jam.pinned_at is null and ${graceEnd} <= now() and jam.visibility <> 'draft'
    order by jam.ends_at, jam.uid limit ${limit}`)
}

/** The next moments at which versions are to be fixed, within the time given. */
export async function listNextPins(db: Db, seconds: number, limit: number): Promise<Date[]> {
  const rows = await db.execute<{ at: string }>(sql`
    select distinct ${graceEnd}::text as at from jams as jam
    where jam.pinned_at is null and ${graceEnd} > now()
      and ${graceEnd} <= now() + ${seconds} * interval '1 second' limit ${limit}`)
  return rows.map(({ at }) => new Date(at))
}

/** Hosts may move the end of a jam while its versions are being fixed: what was fixed is then released. */
export async function releaseMovedPins(db: Db): Promise<void> {
  await db.execute(sql`
    delete from ${jamPins} using jams as jam
    where jam.uid = ${jamPins.jamUid} and jam.pinned_at is null and ${graceEnd} > now()`)
}

/** Whether the versions are still to be fixed. Hosts cannot move the jam until the transaction ends. */
export async function holdDueJam(tx: Transaction, uid: string, strength: 'share' | 'no key update') {
  return await hasRows(
    tx
      .select({ uid: jams.uid })
      .from(jams)
      .where(
        and(
          eq(jams.uid, uid),
          isNull(jams.pinnedAt),
          sql`${jams.endsAt} + ${jams.graceMinutes} * interval '1 minute' <= now()`,
        ),
      )
      .for(strength),
  )
}

/** The next entries without a fixed version. */
export async function listUnpinned(
  tx: Transaction,
  jamUid: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await tx
    .select({ uid: jamEntries.uid })
    .from(jamEntries)
    .where(
      and(
        eq(jamEntries.jamUid, jamUid),
        isNull(jamEntries.withdrawnAt),
        after === null ? undefined : gt(jamEntries.uid, after),
        sql`not exists (select 1 from ${jamPins} where ${jamPins.entryUid} = ${jamEntries.uid})`,
      ),
    )
    .orderBy(asc(jamEntries.uid))
    .limit(limit)
    .for('no key update')
  return rows.map(({ uid }) => uid)
}

/** Blocks the deletion of the listings and of builds that were stable until the transaction ends. */
export async function holdBuilds(tx: Transaction, entryUids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    select build.uid from builds as build
    join games as game on game.uid = build.game_uid
    where game.uid in (select game_uid from jam_entries where uid = any(${textList(entryUids)}::uuid[]))
      and exists (select 1 from channel_moves as move where move.to_build_uid = build.uid and move.channel = 'stable')
    order by game.uid, build.uid for key share of game, build`)
}

/**
 * Fixes the clean files of the main app that are stable on each platform. A release whose upload began after the end
 * does not count, nor does a promotion or a rollback after the grace: then the build before it does.
 */
export async function insertPins(tx: Transaction, entryUids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    insert into ${jamPins} (jam_uid, entry_uid, file_uid)
    select entry.jam_uid, entry.uid, file.uid
    from jam_entries as entry
    join jams as jam on jam.uid = entry.jam_uid
    cross join lateral (
      select distinct on (move.os, move.arch) move.to_build_uid as build_uid
      from channel_moves as move
      join apps as app on app.uid = move.app_uid and app.slug = 'main'
      where move.game_uid = entry.game_uid and move.channel = 'stable'
        and (move.kind = 'upload' or entry.late or move.created_at <= ${graceEnd})
        and exists (select 1 from files as file
          where file.build_uid = move.to_build_uid and file.scan = 'clean' and ${isInTime})
      order by move.os, move.arch, move.uid desc) as chosen
    join files as file on file.build_uid = chosen.build_uid and file.scan = 'clean' and ${isInTime}
    where entry.uid = any(${textList(entryUids)}::uuid[]) and entry.withdrawn_at is null
      and not exists (select 1 from jam_pins as known where known.entry_uid = entry.uid)
    on conflict do nothing`)
}

export async function markPinned(tx: Transaction, uid: string): Promise<void> {
  await tx
    .update(jams)
    .set({ pinnedAt: sql`now()` })
    .where(eq(jams.uid, uid))
}
