import { lte, sql } from 'drizzle-orm'

import { type Db, inserted } from './client.ts'
import { rateCounts } from './schema/settings.ts'

interface LastingCount {
  /** In the current window, this one included. */
  count: number
  /** Milliseconds until the window ends, by the database's clock, which all processes share. */
  resetMs: number
}

/**
 * Call it in the transaction of what is counted: a rollback then removes the count too, and other requests
 * with the same key wait for the counter's row.
 */
export async function addLastingCount(
  db: Db,
  key: string,
  windowMs: number,
  amount = 1,
): Promise<LastingCount> {
  const isOver = sql`${rateCounts.endsAt} <= now()`
  const endsAt = sql`now() + ${windowMs} * interval '1 millisecond'`
  return await inserted(
    db
      .insert(rateCounts)
      .values({ key, count: Math.max(0, amount), endsAt })
      .onConflictDoUpdate({
        target: rateCounts.key,
        set: {
          count: sql`case when ${isOver} then excluded.count else greatest(0, ${rateCounts.count} + ${amount}::int) end`,
          endsAt: sql`case when ${isOver} then excluded.ends_at else ${rateCounts.endsAt} end`,
        },
      })
      .returning({
        count: rateCounts.count,
        resetMs: sql<number>`(extract(epoch from ${rateCounts.endsAt} - now()) * 1000)::float8`,
      }),
  )
}

export async function deleteEndedCounts(db: Db, now: Date): Promise<void> {
  await db.delete(rateCounts).where(lte(rateCounts.endsAt, now))
}
