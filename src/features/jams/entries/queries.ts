import { and, eq, isNull, ne, sql } from 'drizzle-orm'

import { type Db, hasRows, one, textList, type Transaction } from '../../../db/client.ts'
import { jamEntries, jamMembers, jamPins, jams } from '../../../db/schema/jams.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import type { EntryFacts } from '../../../domain/jams/entries.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import { createUid } from '../../../lib/ids.ts'
import type { JamRow } from '../shared-queries.ts'

export type EntryRow = typeof jamEntries.$inferSelect

/** Joins the jam, and serialises the entries of a person until the transaction ends. */
export async function joinAndLock(tx: Transaction, jamUid: string, userUid: string): Promise<void> {
  await tx
    .insert(jamMembers)
    .values({ jamUid, userUid })
    .onConflictDoUpdate({
      target: [jamMembers.jamUid, jamMembers.userUid],
      set: { createdAt: sql`${jamMembers.createdAt}` },
    })
}

/** The same without joining. Returns false for who is no member. */
export async function lockMember(tx: Transaction, jamUid: string, userUid: string): Promise<boolean> {
  return await hasRows(
    tx
      .select({ userUid: jamMembers.userUid })
      .from(jamMembers)
      .where(and(eq(jamMembers.jamUid, jamUid), eq(jamMembers.userUid, userUid)))
      .for('update'),
  )
}

/** What each listing has for a jam, in one statement. */
export async function listEntryFacts(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, EntryFacts>> {
  const rows = await db.execute<{
    uid: string
    asset_type: AssetType
    tagline: string
    made_at: string
    has_cover: boolean
    systems: OperatingSystem[] | null
    is_playable: boolean | null
  }>(sql`
    select game.uid, game.asset_type, game.tagline, game.created_at::text as made_at,
      exists (select 1 from images where images.game_uid = game.uid and images.kind = 'cover') as has_cover,
      stable.systems, stable.is_playable
    from games as game
    left join lateral (
      select array_agg(distinct build.os) as systems,
        bool_or(build.os = 'web' and file.entry_page is not null) as is_playable
      from channel_pointers as pointer
      join apps as app on app.uid = pointer.app_uid and app.slug = 'main'
      join builds as build on build.uid = pointer.build_uid
      join files as file on file.build_uid = build.uid and file.scan = 'clean'
      where pointer.game_uid = game.uid and pointer.channel = 'stable') as stable on true
    where game.uid = any(${textList(gameUids)}::uuid[])`)
  return new Map(
    rows.map((row) => [
      row.uid,
      {
        assetType: row.asset_type,
        tagline: row.tagline,
        createdAt: new Date(row.made_at),
        hasCover: row.has_cover,
        systems: row.systems ?? [],
        isPlayable: row.is_playable ?? false,
      },
    ]),
  )
}

interface NewEntry {
  jamUid: string
  gameUid: string
  userUid: string
  note: string
  submittedAt: Date
  late: boolean
  /** How many entries this person may have. */
  most: number
}

/** Enters the listing, or changes its note. Undefined where this person has as many entries as the jam takes. */
export async function upsertEntry(
  tx: Transaction,
  { jamUid, gameUid, userUid, note, submittedAt, late, most }: NewEntry,
) {
  const at = sql`${submittedAt.toISOString()}::timestamptz`
  const isNew = sql`${jamEntries.withdrawnAt} is not null`
  const [row] = await tx.execute<{ uid: string; is_new: boolean }>(sql`
    insert into ${jamEntries} (uid, jam_uid, game_uid, submitted_by, note, submitted_at, late)
    select ${createUid()}::uuid, ${jamUid}::uuid, ${gameUid}::uuid, ${userUid}::uuid, ${note}, ${at}, ${late}::boolean
    where exists (select 1 from jam_entries as own
        where own.jam_uid = ${jamUid} and own.game_uid = ${gameUid} and own.withdrawn_at is null)
      or (select count(*) from jam_entries as other
        where other.jam_uid = ${jamUid} and other.submitted_by = ${userUid} and other.withdrawn_at is null) < ${most}
    on conflict (jam_uid, game_uid) do update set note = excluded.note, withdrawn_at = null,
      submitted_at = case when ${isNew} then excluded.submitted_at else ${jamEntries.submittedAt} end,
      submitted_by = case when ${isNew} then excluded.submitted_by else ${jamEntries.submittedBy} end,
      late = case when ${isNew} then excluded.late else ${jamEntries.late} end
    returning uid, xmax = 0 as is_new`)
  return row && { uid: row.uid, isNew: row.is_new }
}

/** Takes the entry out of the jam and releases its files. Returns false where it is in no jam. */
export async function withdrawEntry(tx: Transaction, jamUid: string, gameUid: string): Promise<boolean> {
  const entry = await one(
    tx
      .update(jamEntries)
      .set({ withdrawnAt: sql`now()` })
      .where(
        and(eq(jamEntries.jamUid, jamUid), eq(jamEntries.gameUid, gameUid), isNull(jamEntries.withdrawnAt)),
      )
      .returning({ uid: jamEntries.uid }),
  )
  if (!entry) return false
  await tx.delete(jamPins).where(eq(jamPins.entryUid, entry.uid))
  return true
}

export async function findEntry(db: Db, jamUid: string, gameUid: string): Promise<EntryRow | undefined> {
  return await one(
    db
      .select()
      .from(jamEntries)
      .where(and(eq(jamEntries.jamUid, jamUid), eq(jamEntries.gameUid, gameUid))),
  )
}

export interface JamOfListing {
  jam: JamRow
  /** Null where it was never entered. */
  entry: EntryRow | null
}

/** Jams that a listing can be entered into now, those it is in, and those that begin soon; the nearest end first. */
export async function listJamsFor(
  db: Db,
  { gameUid, userUid }: { gameUid: string; userUid: string },
  limit: number,
): Promise<JamOfListing[]> {
  const isMember = sql<boolean>`exists (select 1 from ${jamMembers}
    where ${jamMembers.jamUid} = ${jams.uid} and ${jamMembers.userUid} = ${userUid})`
  const isOfGame = and(eq(jamEntries.jamUid, jams.uid), eq(jamEntries.gameUid, gameUid))
  return await db
    .select({ jam: jams, entry: jamEntries })
    .from(jams)
    .leftJoin(jamEntries, isOfGame)
    .where(
      and(
        ne(jams.visibility, 'draft'),
        sql`((${jamEntries.uid} is not null and ${jamEntries.withdrawnAt} is null)
          or (${jams.endsAt} > now() and (${jams.visibility} = 'public' or ${isMember})
            and (${jams.entry} = 'open' or ${isMember})))`,
      ),
    )
    .orderBy(sql`${jams.endsAt} < now()`, jams.endsAt, jams.uid)
    .limit(limit)
}
