import { inArray, lt, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { stripeEvents, stripeProgress } from '../../../db/schema/selling/stripe-events.ts'

/** Returns the ids of those that were not taken in before. */
export async function insertEvents(
  db: Db,
  events: readonly { id: string; type: string }[],
): Promise<ReadonlySet<string>> {
  const values = events.map(({ id, type }) => ({ id, type }))
  const rows = await db.insert(stripeEvents).values(values).onConflictDoNothing().returning()
  return new Set(rows.map(({ id }) => id))
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

/** The newest event of Stripe's list that was read. */
export async function findLastListed(db: Db): Promise<string | null> {
  const [row] = await db.select().from(stripeProgress)
  return row?.eventId ?? null
}

export async function setLastListed(db: Db, eventId: string): Promise<void> {
  const target = stripeProgress.singleton
  await db.insert(stripeProgress).values({ eventId }).onConflictDoUpdate({ target, set: { eventId } })
}
