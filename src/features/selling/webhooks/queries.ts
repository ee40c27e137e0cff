import { inArray, lt, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { stripeEvents, stripeProgress } from '../../../db/schema/selling/stripe-events.ts'

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

export async function listKnownEvents(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .select({ id: stripeEvents.id })
    .from(stripeEvents)
    .where(inArray(stripeEvents.id, [...ids]))
  return new Set(rows.map(({ id }) => id))
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
