import { and, asc, eq, gt, isNotNull, max, sql } from 'drizzle-orm'

import type { EngineName } from '../../../clients/search/search-engine.ts'
import type { Database, Db } from '../../../db/client.ts'
import { searchDocuments, searchMirrors } from '../../../db/schema/search.ts'

/** The version of an engine that has never been filled. */
const NEVER_BUILT = -1

export async function insertMirror(db: Db, engine: EngineName): Promise<void> {
  await db
    .insert(searchMirrors)
    .values({ engine, version: NEVER_BUILT, behindSince: new Date() })
    .onConflictDoNothing()
}

/** null for an engine that was never used. */
export async function findMirrorVersion(db: Db, engine: EngineName): Promise<number | null> {
  const [row] = await db
    .select({ version: searchMirrors.version })
    .from(searchMirrors)
    .where(eq(searchMirrors.engine, engine))
  return row && row.version > NEVER_BUILT ? row.version : null
}

/** Whether the engine may serve searches: it is built, and lacks no change older than `seconds`. */
export async function isMirrorCurrent(db: Db, engine: EngineName, seconds: number): Promise<boolean> {
  const [row] = await db
    .select({
      isCurrent: sql<boolean>`${searchMirrors.version} > ${NEVER_BUILT}
        and coalesce(${searchMirrors.behindSince} > now() - make_interval(secs => ${seconds}), true)`,
    })
    .from(searchMirrors)
    .where(eq(searchMirrors.engine, engine))
  return row?.isCurrent ?? false
}

/** Call it in the transaction that writes the documents. */
export async function markMirrorsBehind(db: Db): Promise<void> {
  await db.update(searchMirrors).set({ behindSince: sql`coalesce(${searchMirrors.behindSince}, now())` })
}

/**
 * Stores the engine's version and since when it lags: since `knewAllAt`, or unchanged if that is null. A
 * separate statement locks the row, so that the next one sees the documents of transactions it waited for.
 */
export async function writeMirrorVersion(
  db: Database,
  engine: EngineName,
  version: number,
  knewAllAt: Date | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    const isOne = eq(searchMirrors.engine, engine)
    await tx.select().from(searchMirrors).where(isOne).for('update')
    const newer = tx.select().from(searchDocuments).where(gt(searchDocuments.version, version))
    const since = sql`coalesce(${knewAllAt?.toISOString() ?? null}::timestamptz, ${searchMirrors.behindSince}, now())`
    await tx
      .update(searchMirrors)
      .set({ version, behindSince: sql`case when exists (${newer}) then ${since} end` })
      .where(isOne)
  })
}

export async function loadNewestVersion(db: Db): Promise<number> {
  const [row] = await db.select({ version: max(searchDocuments.version) }).from(searchDocuments)
  return row?.version ?? 0
}

/** In the order of their changes, including removed ones. */
export async function listChangedSince(
  db: Db,
  version: number,
  limit: number,
): Promise<{ gameUid: string; version: number }[]> {
  return await db
    .select({ gameUid: searchDocuments.gameUid, version: searchDocuments.version })
    .from(searchDocuments)
    .where(gt(searchDocuments.version, version))
    .orderBy(asc(searchDocuments.version))
    .limit(limit)
}

export async function listLiveDocuments(
  db: Db,
  afterId: number,
  limit: number,
): Promise<{ id: number; gameUid: string }[]> {
  return await db
    .select({ id: searchDocuments.id, gameUid: searchDocuments.gameUid })
    .from(searchDocuments)
    .where(and(gt(searchDocuments.id, afterId), isNotNull(searchDocuments.document)))
    .orderBy(asc(searchDocuments.id))
    .limit(limit)
}
