import { inArray, lte, sql } from 'drizzle-orm'

import type { Transaction } from './client.ts'
import { rateCounts } from './schema/rate-counts.ts'

export interface LastingCount {
  /** In the current window, this one included. */
  count: number
  /** When the window ends. */
  endsAt: Date
}

/** Expired counters that one count removes, more than it can add. */
const REMOVED_MAX = 10

/**
 * Counts in the transaction of what is counted: what fails does not count, and the counter's row makes others of the
 * same key wait.
 */
export async function addLastingCount(tx: Transaction, key: string, windowMs: number): Promise<LastingCount> {
  const now = new Date()
  const next = { count: 1, endsAt: new Date(now.getTime() + windowMs) }
  const isOver = lte(rateCounts.endsAt, now)
  const [row] = await tx
    .insert(rateCounts)
    .values({ key, ...next })
    .onConflictDoUpdate({
      target: rateCounts.key,
      set: {
        count: sql`case when ${isOver} then 1 else ${rateCounts.count} + 1 end`,
        endsAt: sql`case when ${isOver} then excluded.ends_at else ${rateCounts.endsAt} end`,
      },
    })
    .returning({ count: rateCounts.count, endsAt: rateCounts.endsAt })
  const expired = tx
    .select({ key: rateCounts.key })
    .from(rateCounts)
    .where(isOver)
    .limit(REMOVED_MAX)
    .for('update', { skipLocked: true })
  await tx.delete(rateCounts).where(inArray(rateCounts.key, expired))
  return row ?? next
}
