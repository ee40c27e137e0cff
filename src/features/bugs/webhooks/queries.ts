import { and, desc, eq, gt, inArray, lt, lte, ne, sql } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { bugDeliveries, bugDeliveryAttempts, bugScreenshots, bugTickets } from '../../../db/schema/bugs.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'

export type DeliveryRow = typeof bugDeliveries.$inferSelect
export type AttemptRow = typeof bugDeliveryAttempts.$inferSelect
export type DueDelivery = NonNullable<Awaited<ReturnType<typeof findDue>>>

export const isPending = eq(bugDeliveries.state, 'pending')
/** By the clock that the queue goes by. */
export const isDue = lte(bugDeliveries.nextTryAt, sql`now()`)

export async function insertDeliveries(
  tx: Transaction,
  values: readonly (typeof bugDeliveries.$inferInsert)[],
): Promise<DeliveryRow[]> {
  return await tx
    .insert(bugDeliveries)
    .values([...values])
    .returning()
}

/** With what is sent. undefined unless it is pending and due. */
export async function findDue(db: Db, uid: string) {
  const [row] = await db
    .select({
      delivery: bugDeliveries,
      game: { uid: games.uid, name: games.name },
      isOwnerSuspended: sql<boolean>`${users.suspendedAt} is not null`,
      ticket: {
        uid: bugTickets.uid,
        message: bugTickets.message,
        clientVersion: bugTickets.clientVersion,
        os: bugTickets.os,
        arch: bugTickets.arch,
        buildId: bugTickets.buildId,
        hasLog: sql<boolean>`${bugTickets.log} is not null`,
        createdAt: bugTickets.createdAt,
      },
      screenshotKey: bugScreenshots.objectKey,
    })
    .from(bugDeliveries)
    .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .leftJoin(bugTickets, eq(bugTickets.uid, bugDeliveries.ticketUid))
    .leftJoin(bugScreenshots, eq(bugScreenshots.ticketUid, bugTickets.uid))
    .where(and(eq(bugDeliveries.uid, uid), isPending, isDue))
  return row
}

export async function updateDelivery(
  tx: Db,
  uid: string,
  values: Pick<DeliveryRow, 'state' | 'tries' | 'nextTryAt'>,
): Promise<void> {
  await tx.update(bugDeliveries).set(values).where(eq(bugDeliveries.uid, uid))
}

export async function insertAttempt(
  tx: Transaction,
  values: typeof bugDeliveryAttempts.$inferInsert,
): Promise<void> {
  await tx.insert(bugDeliveryAttempts).values(values)
}

/** Ends a delivery that may not be sent. */
export async function failDelivery(tx: Transaction, uid: string, error: string): Promise<void> {
  await insertAttempt(tx, { deliveryUid: uid, status: null, error, latencyMs: 0 })
  await tx.update(bugDeliveries).set({ state: 'failed', nextTryAt: null }).where(eq(bugDeliveries.uid, uid))
}

/** Makes the oldest deliveries to the same URL that wait for a later try due now. */
export async function hurryOthers(
  tx: Transaction,
  { uid, gameUid, url }: DeliveryRow,
  now: Date,
  limit: number,
): Promise<void> {
  const waiting = tx
    .select({ uid: bugDeliveries.uid })
    .from(bugDeliveries)
    .where(
      and(
        eq(bugDeliveries.gameUid, gameUid),
        eq(bugDeliveries.url, url),
        ne(bugDeliveries.uid, uid),
        isPending,
        gt(bugDeliveries.nextTryAt, now),
      ),
    )
    .orderBy(bugDeliveries.uid)
    .limit(limit)
    .for('update', { skipLocked: true })
  await tx.update(bugDeliveries).set({ nextTryAt: now }).where(inArray(bugDeliveries.uid, waiting))
}

/** Moves deliveries to the same URL that are due before then. */
export async function postponeOthers(
  tx: Transaction,
  { uid, gameUid, url }: DeliveryRow,
  until: Date,
): Promise<void> {
  await tx
    .update(bugDeliveries)
    .set({ nextTryAt: until })
    .where(
      and(
        eq(bugDeliveries.gameUid, gameUid),
        eq(bugDeliveries.url, url),
        ne(bugDeliveries.uid, uid),
        isPending,
        lt(bugDeliveries.nextTryAt, until),
      ),
    )
}

/** undefined if the game has no such delivery. */
export async function lockDelivery(
  tx: Transaction,
  gameUid: string,
  uid: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await tx
    .select()
    .from(bugDeliveries)
    .where(and(eq(bugDeliveries.uid, uid), eq(bugDeliveries.gameUid, gameUid)))
    .for('no key update')
  return row
}

export async function listDeliveries(db: Db, gameUid: string, page: Page): Promise<DeliveryRow[]> {
  return await db
    .select()
    .from(bugDeliveries)
    .where(eq(bugDeliveries.gameUid, gameUid))
    .orderBy(desc(bugDeliveries.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

/** Oldest first. */
export async function listByUid(db: Db, uids: readonly string[]): Promise<DeliveryRow[]> {
  return await db
    .select()
    .from(bugDeliveries)
    .where(anyOf(bugDeliveries.uid, uids))
    .orderBy(bugDeliveries.uid)
}

export async function countDeliveries(db: Db, gameUid: string): Promise<number> {
  return await db.$count(bugDeliveries, eq(bugDeliveries.gameUid, gameUid))
}

/** The newest attempts of each delivery, newest first. */
export async function listAttempts(
  db: Db,
  deliveryUids: readonly string[],
  limit: number,
): Promise<AttemptRow[]> {
  if (deliveryUids.length === 0) return []
  const ranked = db
    .select({
      uid: bugDeliveryAttempts.uid,
      rank: sql<number>`row_number() over (partition by ${bugDeliveryAttempts.deliveryUid} order by ${bugDeliveryAttempts.uid} desc)`.as(
        'rank',
      ),
    })
    .from(bugDeliveryAttempts)
    .where(anyOf(bugDeliveryAttempts.deliveryUid, deliveryUids))
    .as('ranked')
  const newest = db.select({ uid: ranked.uid }).from(ranked).where(lte(ranked.rank, limit))
  return await db
    .select()
    .from(bugDeliveryAttempts)
    .where(inArray(bugDeliveryAttempts.uid, newest))
    .orderBy(desc(bugDeliveryAttempts.uid))
}

/** Deletes deliveries that are no longer pending; returns how many. */
export async function deleteOldDeliveries(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ uid: bugDeliveries.uid })
    .from(bugDeliveries)
    .where(and(ne(bugDeliveries.state, 'pending'), lte(bugDeliveries.createdAt, before)))
    .limit(limit)
  const rows = await db
    .delete(bugDeliveries)
    .where(inArray(bugDeliveries.uid, old))
    .returning({ uid: bugDeliveries.uid })
  return rows.length
}
