import { and, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../db/client.ts'
import { isAlive } from '../../db/process-claim.ts'
import { files, symbols } from '../../db/schema/builds.ts'
import { images } from '../../db/schema/game-pages.ts'
import { uploadSessions } from '../../db/schema/uploads.ts'
import type { StoredObjects } from './jobs.ts'

export type EndedSession = typeof uploadSessions.$inferSelect

/** Those that somebody is still writing stay until that chunk is over. */
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

/** Those of the keys that a row still needs. */
export async function listNamedKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const named = (table: typeof files | typeof symbols | typeof images | typeof uploadSessions) =>
    db.select({ key: table.objectKey }).from(table).where(inArray(table.objectKey, keys))
  const rows = await named(files)
    .unionAll(named(symbols))
    .unionAll(named(images))
    .unionAll(named(uploadSessions))
  return new Set(rows.map(({ key }) => key))
}

/** Until the transaction ends, nobody else gives this object a row or takes it away. */
export async function lockObject(tx: Transaction, objectKey: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${objectKey}, 0))`)
}

/** All that the rows of a listing name. */
export async function listObjectsOfGame(tx: Transaction, gameUid: string): Promise<StoredObjects> {
  const keysIn = (table: typeof files | typeof symbols | typeof images) =>
    tx.select({ key: table.objectKey }).from(table).where(eq(table.gameUid, gameUid))
  const rows = await keysIn(files).unionAll(keysIn(symbols)).unionAll(keysIn(images))
  return withSessions(rows, await listUnfinished(tx, eq(uploadSessions.gameUid, gameUid)))
}

/** All that the rows of a build name. */
export async function listObjectsOfBuild(tx: Transaction, buildUid: string): Promise<StoredObjects> {
  const keysIn = (table: typeof files | typeof symbols) =>
    tx.select({ key: table.objectKey }).from(table).where(eq(table.buildUid, buildUid))
  const rows = await keysIn(files).unionAll(keysIn(symbols))
  return withSessions(rows, await listUnfinished(tx, eq(uploadSessions.buildUid, buildUid)))
}

async function listUnfinished(tx: Transaction, condition: ReturnType<typeof eq>) {
  return await tx
    .select({ key: uploadSessions.objectKey, upload: uploadSessions.uploadId })
    .from(uploadSessions)
    .where(and(condition, isNull(uploadSessions.fileUid)))
}

/** Files first: theirs are the keys that links lead to. */
function withSessions(
  rows: readonly { key: string }[],
  sessions: readonly { key: string; upload: string }[],
): StoredObjects {
  return {
    keys: [...rows, ...sessions].map(({ key }) => key),
    uploads: sessions.map(({ upload }) => upload),
  }
}
