import { and, eq, gte, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { downloadEvents } from '../../../db/schema/downloads.ts'

/** Few rows however popular the game is: one per day and outcome. */
export async function countByDay(db: Db, gameUid: string, since: Date) {
  return await db
    .select({
      day: sql<string>`(${downloadEvents.at} at time zone 'UTC')::date::text`,
      outcome: downloadEvents.outcome,
      count: sql<number>`count(*)::int`,
    })
    .from(downloadEvents)
    .where(and(eq(downloadEvents.gameUid, gameUid), gte(downloadEvents.at, since)))
    .groupBy(sql`1`, sql`2`)
    .orderBy(sql`1`, sql`2`)
}
