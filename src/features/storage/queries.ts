import { and, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm'

import { anyOf, type Db, one, type Transaction } from '../../db/client.ts'
import { isAlive } from '../../db/locks/process-claim.ts'
import { users } from '../../db/schema/accounts.ts'
import { bugScreenshots } from '../../db/schema/bugs.ts'
import { files, symbols } from '../../db/schema/builds.ts'
import { images, videos } from '../../db/schema/games/game-pages.ts'
import { games } from '../../db/schema/games/games.ts'
import { jams } from '../../db/schema/jams.ts'
import { profiles } from '../../db/schema/profiles.ts'
import { saveContents } from '../../db/schema/saves.ts'
import { storageReservations, uploadSessions } from '../../db/schema/uploads.ts'
import { createUid } from '../../lib/ids.ts'
import { storageLimit, storageLock, storageUsed } from './shared-queries.ts'

type EndedSession = typeof uploadSessions.$inferSelect

/** Skips sessions to which a chunk is being written. */
export async function deleteExpiredSessions(db: Db, now: Date, limit: number): Promise<EndedSession[]> {
  const expired = db
    .select({ uid: uploadSessions.uid })
    .from(uploadSessions)
    .where(
      and(
        lte(uploadSessions.expiresAt, now),
        or(isNull(uploadSessions.writer), sql`not ${isAlive(uploadSessions.writer)}`),
      ),
    )
    .limit(limit)
    .for('update', { skipLocked: true })
  return await db.delete(uploadSessions).where(inArray(uploadSessions.uid, expired)).returning()
}

type NamingTable =
  | typeof files
  | typeof symbols
  | typeof images
  | typeof videos
  | typeof bugScreenshots
  | typeof saveContents
  | typeof uploadSessions

/** The keys that a row still refers to. */
export async function listNamedKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const named = (table: NamingTable) =>
    db.select({ key: table.objectKey }).from(table).where(anyOf(table.objectKey, keys))
  const keysOf = (
    table: typeof users | typeof profiles | typeof jams,
    column: typeof users.pictureKey | typeof profiles.bannerKey | typeof jams.coverKey,
  ) =>
    db
      .select({ key: sql<string>`${column}` })
      .from(table)
      .where(anyOf(column, keys))
  const rows = await named(files)
    .unionAll(named(symbols))
    .unionAll(named(images))
    .unionAll(named(videos))
    .unionAll(named(bugScreenshots))
    .unionAll(named(saveContents))
    .unionAll(named(uploadSessions))
    .unionAll(keysOf(users, users.pictureKey))
    .unionAll(keysOf(profiles, profiles.bannerKey))
    .unionAll(keysOf(jams, jams.coverKey))
  return new Set(rows.flatMap(({ key }) => key ?? []))
}

/** Returns whether a file has the new key. */
export async function renameFile(db: Db, from: string, to: string): Promise<boolean> {
  await db.update(files).set({ objectKey: to }).where(eq(files.objectKey, from))
  return (await db.$count(files, eq(files.objectKey, to))) > 0
}

type NewReservation = typeof storageReservations.$inferInsert

export async function findOwner(db: Db, gameUid: string): Promise<string | undefined> {
  const [row] = await db.select({ ownerUid: games.ownerUid }).from(games).where(eq(games.uid, gameUid))
  return row?.ownerUid
}

/** Serialises changes of an account's storage use until the transaction ends. */
export async function lockStorage(tx: Transaction, ownerUid: string): Promise<void> {
  await tx.execute(sql`select ${storageLock(ownerUid)}`)
}

export async function loadUse(db: Db, ownerUid: string): Promise<{ used: number; limit: number | null }> {
  const row = await one(
    db.execute<{ used: string; limit: string | null }>(sql`
      select ${storageUsed} as used, ${storageLimit} as "limit" from (select ${ownerUid}::uuid as uid) as owner`),
  )
  const limit = row?.limit ?? null
  return { used: Number(row?.used ?? 0), limit: limit === null ? null : Number(limit) }
}

export async function insertReservation(db: Db, values: NewReservation): Promise<string> {
  const uid = createUid()
  await db.insert(storageReservations).values({ ...values, uid })
  return uid
}

export async function deleteReservation(db: Db, uid: string): Promise<void> {
  await db.delete(storageReservations).where(eq(storageReservations.uid, uid))
}

export async function deleteExpiredReservations(db: Db, now: Date): Promise<void> {
  await db.delete(storageReservations).where(lte(storageReservations.expiresAt, now))
}
