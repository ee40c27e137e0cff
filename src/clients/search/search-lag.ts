import { eq, sql } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { isConnectionError } from '../../db/errors.ts'
import { searchChanges, searchMirrors } from '../../db/schema/search.ts'
import type { EngineName } from './search-engine.ts'

/** The search lag above which the check fails. */
export const SEARCH_LAG_MAX_S = 60

/** Seconds since the oldest change that this engine has not indexed yet; 0 when it is up to date. */
export async function loadSearchLag(db: Db, engine: EngineName): Promise<number> {
  const oldestChange = db
    .select({ at: searchChanges.createdAt })
    .from(searchChanges)
    .orderBy(searchChanges.id)
    .limit(1)
  const behindSince = db
    .select({ at: searchMirrors.behindSince })
    .from(searchMirrors)
    .where(eq(searchMirrors.engine, engine))
  const [row] = await db.execute<{ lag: number }>(sql`
    select coalesce(extract(epoch from now() - least((${oldestChange}), (${behindSince}))), 0)::float8 as lag`)
  return Math.max(0, row?.lag ?? 0)
}

/** Throws when the search index is too far behind. Connection errors are left to the database check. */
export async function checkSearchLag(db: Db, engine: EngineName): Promise<void> {
  const lag = await loadSearchLag(db, engine).catch((error: unknown) => {
    if (isConnectionError(error)) return 0
    throw error
  })
  if (lag > SEARCH_LAG_MAX_S) throw new Error(`searches are ${Math.round(lag)} s behind`)
}
