import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'

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

/** For a statement before the one that reads the use: each sees what was committed when it began. */
export function storageLock(ownerUid: string): SQL {
  return sql`pg_advisory_xact_lock(hashtextextended(${`storage of ${ownerUid}`}, 0))`
}

const own = sql`game_uid in (select uid from games where owner_uid = owner.uid)`

/**
 * Bytes of the account that the query names `owner`. Computed from the rows, so that they cannot drift. Refused files
 * count 0, open sessions their full size.
 */
export const storageUsed = sql<string>`(select sum(bytes)::text from (
  select coalesce(sum(size), 0) as bytes from files where scan in ('clean', 'scanning') and ${own}
  union all select coalesce(sum(size), 0) from symbols where ${own}
  union all select coalesce(sum(size), 0) from images where ${own}
  union all select coalesce(sum(size), 0) from videos where ${own}
  union all select coalesce(sum(size), 0) from bug_screenshots where ${own}
  union all select coalesce(sum(total_size), 0) from upload_sessions
    where file_uid is null and expires_at > now() and ${own}
  union all select coalesce(sum(size), 0) from save_contents
    where set_uid in (select uid from save_sets where user_uid = owner.uid)
  union all select coalesce(sum(bytes), 0) from storage_reservations
    where owner_uid = owner.uid and expires_at > now()
) as stored)`

/** Null unless an operator gave the account a limit of its own. */
export const storageLimit = sql<string | null>`(select storage_limit::text from users where id = owner.uid)`

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
