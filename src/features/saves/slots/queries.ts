import { and, asc, desc, eq, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm'

import { type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { saveContents, saveFaults, saveRevisions, saveSets, saveSlots } from '../../../db/schema/saves.ts'
import { ALL_SLOTS_MAX } from '../../../domain/saves.ts'
import type { Page } from '../../../lib/paging.ts'
import { storageLimit, storageUsed } from '../../storage/shared-queries.ts'
import type { Owned } from '../shared-queries.ts'

const owns = ({ userUid, gameUid }: Owned) =>
  and(eq(saveSets.userUid, userUid), eq(saveSets.gameUid, gameUid))

const revisionColumns = {
  revision: saveRevisions.uid,
  size: saveContents.size,
  sha256: saveContents.sha256,
  device: saveRevisions.device,
  note: saveRevisions.note,
  playMinutes: saveRevisions.playMinutes,
  at: saveRevisions.createdAt,
}

export type SlotRow = Awaited<ReturnType<typeof listSlots>>[number]

/** Those that have a current revision, by name; or those in the bin, newest first. */
export async function listSlots(db: Db, owned: Owned, isBin: boolean) {
  return await db
    .select({ ...revisionColumns, slot: saveSlots.name, deletedAt: saveSlots.deletedAt })
    .from(saveSets)
    .innerJoin(saveSlots, eq(saveSlots.setUid, saveSets.uid))
    .innerJoin(saveRevisions, eq(saveRevisions.uid, saveSlots.headUid))
    .innerJoin(saveContents, eq(saveContents.uid, saveRevisions.contentUid))
    .where(and(owns(owned), isBin ? isNotNull(saveSlots.deletedAt) : isNull(saveSlots.deletedAt)))
    .orderBy(...(isBin ? [desc(saveSlots.deletedAt)] : []), asc(saveSlots.name))
    .limit(ALL_SLOTS_MAX)
}

/** Bytes of all contents, each of which counts once. */
export async function countUsed(db: Db, owned: Owned): Promise<number> {
  const [row] = await db
    .select({ used: sql<string>`coalesce(sum(${saveContents.size}), 0)::text` })
    .from(saveSets)
    .innerJoin(saveContents, eq(saveContents.setUid, saveSets.uid))
    .where(owns(owned))
  return Number(row?.used ?? 0)
}

export type FoundSlot = NonNullable<Awaited<ReturnType<typeof findSlot>>>

export async function findSlot(db: Db, owned: Owned, name: string) {
  return await one(
    db
      .select({ uid: saveSlots.uid, headUid: saveSlots.headUid, deletedAt: saveSlots.deletedAt })
      .from(saveSets)
      .innerJoin(saveSlots, eq(saveSlots.setUid, saveSets.uid))
      .where(and(owns(owned), eq(saveSlots.name, name))),
  )
}

export type StoredRevision = NonNullable<Awaited<ReturnType<typeof findRevision>>>

/** A revision of the slot; without `uid` the current one, unless the slot is in the bin. */
export async function findRevision(db: Db, owned: Owned, slot: string, uid: string | null) {
  const isWanted =
    uid === null
      ? and(eq(saveRevisions.uid, saveSlots.headUid), isNull(saveSlots.deletedAt))
      : eq(saveRevisions.uid, uid)
  return await one(
    db
      .select({
        ...revisionColumns,
        contentUid: saveContents.uid,
        objectKey: saveContents.objectKey,
        refused: saveRevisions.refused,
      })
      .from(saveSets)
      .innerJoin(saveSlots, eq(saveSlots.setUid, saveSets.uid))
      .innerJoin(saveRevisions, eq(saveRevisions.slotUid, saveSlots.uid))
      .innerJoin(saveContents, eq(saveContents.uid, saveRevisions.contentUid))
      .where(and(owns(owned), eq(saveSlots.name, slot), isWanted)),
  )
}

export type RevisionRow = Awaited<ReturnType<typeof pageRevisions>>['items'][number]

/** Newest first, refused ones too. */
export async function pageRevisions(db: Db, slotUid: string, page: Page) {
  const which = eq(saveRevisions.slotUid, slotUid)
  return await pageOf(
    db
      .select({ ...revisionColumns, refused: saveRevisions.refused })
      .from(saveRevisions)
      .innerJoin(saveContents, eq(saveContents.uid, saveRevisions.contentUid))
      .where(which)
      .orderBy(desc(saveRevisions.createdAt), desc(saveRevisions.uid)),
    db.$count(saveRevisions, which),
    page,
  )
}

/** What a write needs to know, read under the lock of the set. */
export type WriteFacts = {
  slotUid: string | null
  /** Null if the slot is not there, or in the bin. */
  currentUid: string | null
  /** Null if nothing has these bytes yet. */
  contentUid: string | null
  /** Bytes of the set. */
  used: number
  /** Bytes of the account, which only new bytes need to know. */
  accountUsed: number
  accountLimit: number | null
  slots: number
  allSlots: number
  playMinutes: number
}

export async function loadWriteFacts(
  tx: Transaction,
  setUid: string,
  { userUid, gameUid }: Owned,
  { slot, sha256 }: { slot: string; sha256: string },
): Promise<WriteFacts> {
  const row = await one(
    tx.execute<{ facts: WriteFacts }>(sql`
      select json_build_object(
        'slotUid', own.uid,
        'currentUid', case when own.deleted_at is null then own.head_uid end,
        'contentUid', content.uid,
        'used', (select coalesce(sum(size), 0) from save_contents where set_uid = kept.uid),
        'accountUsed', case when content.uid is null then ${storageUsed}::bigint else 0 end,
        'accountLimit', ${storageLimit}::bigint,
        'slots', counted.slots,
        'allSlots', counted.all_slots,
        'playMinutes', coalesce((select seconds / 60 from play_times
          where user_uid = owner.uid and game_uid = ${gameUid})::int, 0)) as facts
      from (select ${setUid}::uuid as uid) as kept
      cross join (select ${userUid}::uuid as uid) as owner
      cross join lateral (select count(*) as all_slots,
          count(*) filter (where deleted_at is null and head_uid is not null) as slots
        from save_slots where set_uid = kept.uid) as counted
      left join save_slots as own on own.set_uid = kept.uid and own.name = ${slot}
      left join save_contents as content on content.set_uid = kept.uid and content.sha256 = ${sha256}`),
  )
  if (!row) throw new Error('The database did not return the facts of a write')
  return row.facts
}

/** What a write adds or changes. */
export interface NewRevision {
  setUid: string
  slotUid: string
  contentUid: string
  uid: string
  device: string | null
  note: string | null
  playMinutes: number
  refused: boolean
}

interface NewContent {
  sha256: string
  size: number
  objectKey: string
}

/** Writes all of it in one statement. The name is that of a new slot, the content is null if it is known. */
export async function insertWrite(
  tx: Transaction,
  { setUid, slotUid, contentUid, uid, device, note, playMinutes, refused }: NewRevision,
  { newSlot, newContent }: { newSlot: string | null; newContent: NewContent | null },
): Promise<void> {
  const steps: SQL[] = []
  if (newContent) {
    const { sha256, size, objectKey } = newContent
    steps.push(sql`content as (insert into ${saveContents} (uid, set_uid, sha256, size, object_key)
      values (${contentUid}, ${setUid}, ${sha256}, ${size}, ${objectKey}))`)
  }
  if (newSlot !== null) {
    steps.push(sql`slot as (insert into ${saveSlots} (uid, set_uid, name, head_uid)
      values (${slotUid}, ${setUid}, ${newSlot}, ${refused ? null : uid}))`)
  } else if (!refused) {
    steps.push(
      sql`slot as (update ${saveSlots} set head_uid = ${uid}, deleted_at = null where uid = ${slotUid})`,
    )
  }
  await tx.execute(sql`
    ${steps.length > 0 ? sql`with ${sql.join(steps, sql`, `)}` : sql``}
    insert into ${saveRevisions} (uid, slot_uid, content_uid, device, note, play_minutes, refused)
    values (${uid}, ${slotUid}, ${contentUid}, ${device}, ${note}, ${playMinutes}, ${refused})`)
}

export async function insertRevision(
  tx: Transaction,
  values: typeof saveRevisions.$inferInsert & { uid: string },
): Promise<void> {
  await tx.insert(saveRevisions).values(values)
}

/** Makes the revision current; a slot in the bin comes back with it. */
export async function setCurrent(tx: Transaction, slotUid: string, headUid: string): Promise<void> {
  await tx.update(saveSlots).set({ headUid, deletedAt: null }).where(eq(saveSlots.uid, slotUid))
}

export async function binSlot(tx: Transaction, slotUid: string): Promise<void> {
  await tx
    .update(saveSlots)
    .set({ deletedAt: sql`now()` })
    .where(eq(saveSlots.uid, slotUid))
}

export async function deleteSlot(tx: Transaction, slotUid: string): Promise<void> {
  await tx.delete(saveSlots).where(eq(saveSlots.uid, slotUid))
}

export async function deleteRevision(tx: Transaction, uid: string): Promise<void> {
  await tx.delete(saveRevisions).where(eq(saveRevisions.uid, uid))
}

export interface Deletable {
  slot: string
  revision: string
  size: number
}

/** What a player can delete to make room: the bin, then what is not current, then the rest; oldest first. */
export async function listDeletable(db: Db, setUid: string, limit: number): Promise<Deletable[]> {
  return await db
    .select({ slot: saveSlots.name, revision: saveRevisions.uid, size: saveContents.size })
    .from(saveSlots)
    .innerJoin(saveRevisions, eq(saveRevisions.slotUid, saveSlots.uid))
    .innerJoin(saveContents, eq(saveContents.uid, saveRevisions.contentUid))
    .where(and(eq(saveSlots.setUid, setUid), ne(saveContents.size, 0)))
    .orderBy(
      sql`${saveSlots.deletedAt} is null`,
      sql`${saveRevisions.uid} is not distinct from ${saveSlots.headUid}`,
      asc(saveRevisions.createdAt),
      asc(saveRevisions.uid),
    )
    .limit(limit)
}

/** Counts for the developer; a build of another game counts as unknown. */
export async function countFault(
  db: Db,
  gameUid: string,
  buildUid: string | null,
  kind: 'conflicts' | 'failures',
): Promise<void> {
  const column = sql.raw(kind)
  await db.execute(sql`
    insert into ${saveFaults} (uid, game_uid, build_uid, ${column})
    select gen_random_uuid(), game.uid,
      (select uid from builds where uid = ${buildUid}::uuid and game_uid = game.uid), 1
    from games as game where game.uid = ${gameUid}
    on conflict (game_uid, build_uid) do update set ${column} = ${saveFaults}.${column} + 1`)
}
