import { and, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm'

import { anyOf } from '../../db/any-of.ts'
import type { Db } from '../../db/client.ts'
import { isAlive } from '../../db/locks/process-claim.ts'
import { bugScreenshots } from '../../db/schema/bugs.ts'
import { files, symbols } from '../../db/schema/builds.ts'
import { images } from '../../db/schema/games/game-pages.ts'
import { uploadSessions } from '../../db/schema/uploads.ts'

export type EndedSession = typeof uploadSessions.$inferSelect

/** Sessions that are being written stay until the chunk has ended. */
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
  typeof files | typeof symbols | typeof images | typeof bugScreenshots | typeof uploadSessions

/** The keys that a row still refers to. */
export async function listNamedKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const named = (table: NamingTable) =>
    db.select({ key: table.objectKey }).from(table).where(anyOf(table.objectKey, keys))
  const rows = await named(files)
    .unionAll(named(symbols))
    .unionAll(named(images))
    .unionAll(named(bugScreenshots))
    .unionAll(named(uploadSessions))
  return new Set(rows.map(({ key }) => key))
}

/** Returns whether a file has the new key. */
export async function renameFile(db: Db, from: string, to: string): Promise<boolean> {
  await db.update(files).set({ objectKey: to }).where(eq(files.objectKey, from))
  return (await db.$count(files, eq(files.objectKey, to))) > 0
}
