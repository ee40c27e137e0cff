import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'

import type { Transaction } from '../../db/client.ts'
import { bugScreenshots } from '../../db/schema/bugs.ts'
import { files, symbols } from '../../db/schema/builds.ts'
import { images, videos } from '../../db/schema/games/game-pages.ts'
import { uploadSessions } from '../../db/schema/uploads.ts'
import type { StoredObjects } from './jobs.ts'

/** Blocks others from adding a row for this object, or deleting it, until the transaction ends. */
export async function lockObject(tx: Transaction, objectKey: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${objectKey}, 0))`)
}

/** All objects that the rows of a listing refer to. */
export async function listObjectsOfGame(tx: Transaction, gameUid: string): Promise<StoredObjects> {
  const keysIn = (
    table: typeof files | typeof symbols | typeof images | typeof videos | typeof bugScreenshots,
  ) =>
    tx
      .select({ key: sql<string>`${table.objectKey}` })
      .from(table)
      .where(and(eq(table.gameUid, gameUid), isNotNull(table.objectKey)))
  const rows = await keysIn(files)
    .unionAll(keysIn(videos))
    .unionAll(keysIn(symbols))
    .unionAll(keysIn(images))
    .unionAll(keysIn(bugScreenshots))
  return withSessions(rows, await listUnfinished(tx, eq(uploadSessions.gameUid, gameUid)))
}

/** All objects that the rows of a build refer to. */
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

/** Files come first: they have download links, and only the first objects are deleted immediately. */
function withSessions(
  rows: readonly { key: string }[],
  sessions: readonly { key: string; upload: string }[],
): StoredObjects {
  return {
    keys: [...rows, ...sessions].map(({ key }) => key),
    uploads: sessions.map(({ upload }) => upload),
  }
}
