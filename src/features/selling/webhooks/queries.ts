import { inArray, lt } from 'drizzle-orm'

import { countChanged, type Db, one } from '../../../db/client.ts'
import { stripeEvents, stripeProgress } from '../../../db/schema/selling.ts'

/** Returns the ids of the events that were new. */
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
  return await countChanged(db.delete(stripeEvents).where(inArray(stripeEvents.id, old)))
}

/** The id of the newest event that was read from Stripe's list. */
export async function findLastListed(db: Db): Promise<string | null> {
  return (await one(db.select().from(stripeProgress)))?.eventId ?? null
}

export async function setLastListed(db: Db, eventId: string): Promise<void> {
  const target = stripeProgress.singleton
  await db.insert(stripeProgress).values({ eventId }).onConflictDoUpdate({ target, set: { eventId } })
}
