import { inArray, lt, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { stripeEvents } from '../../../db/schema/selling/stripe-events.ts'

/** Returns false for an event that was taken in before. */
export async function insertEvent(db: Db, event: { id: string; type: string }): Promise<boolean> {
  const rows = await db.insert(stripeEvents).values(event).onConflictDoNothing().returning()
  return rows.length > 0
}

export async function deleteEvents(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ id: stripeEvents.id })
    .from(stripeEvents)
    .where(lt(stripeEvents.receivedAt, before))
    .limit(limit)
  const rows = await db
    .delete(stripeEvents)
    .where(inArray(stripeEvents.id, old))
    .returning({ one: sql`1` })
  return rows.length
}
