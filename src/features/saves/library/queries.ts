import { and, count, desc, eq, isNull, sql } from 'drizzle-orm'

import { anyOf, type Db, one, type Transaction } from '../../../db/client.ts'
import { games } from '../../../db/schema/games/games.ts'
import { saveContents, saveRevisions, saveSets, saveSlots } from '../../../db/schema/saves.ts'
import { isUid } from '../../../lib/ids.ts'

const keptColumns = {
  gameUid: saveSets.gameUid,
  name: saveSets.gameName,
  vanityName: games.vanityName,
  visibility: games.visibility,
  isEnabled: games.savesEnabled,
}

/** By the uid of the game or its present name. The game's columns are null when it was deleted. */
export async function findKept(db: Db, userUid: string, ref: string) {
  const isNamed = isUid(ref) ? eq(saveSets.gameUid, ref) : eq(games.vanityName, ref)
  return await one(
    db
      .select(keptColumns)
      .from(saveSets)
      .leftJoin(games, eq(games.uid, saveSets.gameUid))
      .where(and(eq(saveSets.userUid, userUid), isNamed)),
  )
}

const hasSlots = sql`exists (select 1 from ${saveSlots} where ${saveSlots.setUid} = ${saveSets.uid})`
const bytes = sql<string>`(select coalesce(sum(${saveContents.size}), 0)::text from ${saveContents}
  where ${saveContents.setUid} = ${saveSets.uid})`

/** The games of which somebody keeps most, first. */
export async function listKept(db: Db, userUid: string, limit: number) {
  const rows = await db
    .select({ ...keptColumns, bytes })
    .from(saveSets)
    .leftJoin(games, eq(games.uid, saveSets.gameUid))
    .where(and(eq(saveSets.userUid, userUid), hasSlots))
    .orderBy(desc(sql`${bytes}::bigint`), saveSets.gameName)
    .limit(limit)
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

export async function countKept(db: Db, userUid: string): Promise<{ games: number; bytes: number }> {
  const row = await one(
    db
      .select({ games: count(), bytes: sql<string>`coalesce(sum(${bytes}::bigint), 0)::text` })
      .from(saveSets)
      .where(and(eq(saveSets.userUid, userUid), hasSlots)),
  )
  return { games: row?.games ?? 0, bytes: Number(row?.bytes ?? 0) }
}

/** Which of the games somebody has saves of. */
export async function listWithSaves(db: Db, userUid: string, gameUids: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ gameUid: saveSets.gameUid })
    .from(saveSets)
    .where(and(eq(saveSets.userUid, userUid), anyOf(saveSets.gameUid, gameUids), hasSlots))
  return rows.map(({ gameUid }) => gameUid)
}

/** Locks one set of the person after the other, so that all can be deleted in small transactions. */
export async function lockNextSet(tx: Transaction, userUid: string): Promise<string | undefined> {
  const row = await one(
    tx
      .select({ uid: saveSets.uid })
      .from(saveSets)
      .where(and(eq(saveSets.userUid, userUid), hasSlots))
      .limit(1)
      .for('update'),
  )
  return row?.uid
}

/** What the player decided about the game stays. */
export async function deleteSlots(tx: Transaction, setUid: string): Promise<void> {
  await tx.delete(saveSlots).where(eq(saveSlots.setUid, setUid))
}

export interface ArchivedSave {
  slot: string
  objectKey: string
  size: number
  at: Date
}

/** The current revision of each slot. */
export async function listArchived(db: Db, userUid: string, gameUid: string): Promise<ArchivedSave[]> {
  return await db
    .select({
      slot: saveSlots.name,
      objectKey: saveContents.objectKey,
      size: saveContents.size,
      at: saveRevisions.createdAt,
    })
    .from(saveSets)
    .innerJoin(saveSlots, eq(saveSlots.setUid, saveSets.uid))
    .innerJoin(saveRevisions, eq(saveRevisions.uid, saveSlots.headUid))
    .innerJoin(saveContents, eq(saveContents.uid, saveRevisions.contentUid))
    .where(and(eq(saveSets.userUid, userUid), eq(saveSets.gameUid, gameUid), isNull(saveSlots.deletedAt)))
    .orderBy(saveSlots.name)
}
