import { and, desc, eq, gt, inArray, lt, lte, ne, sql } from 'drizzle-orm'

import { anyOf, countChanged, type Db, hasRows, one, pageOf, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { bugDeliveries, bugDeliveryAttempts, bugScreenshots, bugTickets } from '../../../db/schema/bugs.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import type { Address } from './jobs.ts'

export type DeliveryRow = typeof bugDeliveries.$inferSelect
export type AttemptRow = typeof bugDeliveryAttempts.$inferSelect
export type DueDelivery = NonNullable<Awaited<ReturnType<typeof findDue>>>

const isPending = eq(bugDeliveries.state, 'pending')
const isTo = ({ ownerUid, url }: Address) =>
  and(eq(games.ownerUid, ownerUid), eq(bugDeliveries.url, url), isPending)

export async function insertDeliveries(
  tx: Transaction,
  values: readonly (typeof bugDeliveries.$inferInsert)[],
): Promise<DeliveryRow[]> {
  return await tx
    .insert(bugDeliveries)
    .values([...values])
    .returning()
}

/** The oldest delivery to the address that is due by the clock of the queue, with what is sent. */
export async function findDue(db: Db, address: Address) {
  return await one(
    db
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
      .where(and(isTo(address), lte(bugDeliveries.nextTryAt, sql`now()`)))
      .orderBy(bugDeliveries.nextTryAt, bugDeliveries.uid)
      .limit(1),
  )
}

/** When a delivery to the address is due next; null if none is waiting. */
export async function findNextTry(db: Db, address: Address): Promise<Date | null> {
  const row = await one(
    db
      .select({ at: bugDeliveries.nextTryAt })
      .from(bugDeliveries)
      .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
      .where(isTo(address))
      .orderBy(bugDeliveries.nextTryAt)
      .limit(1),
  )
  return row?.at ?? null
}

/** The addresses of waiting deliveries, or of those that were due before. */
export async function listAddresses(db: Db, dueBefore: Date | undefined, limit: number): Promise<Address[]> {
  return await db
    .selectDistinct({ ownerUid: games.ownerUid, url: bugDeliveries.url })
    .from(bugDeliveries)
    .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
    .where(and(isPending, dueBefore && lte(bugDeliveries.nextTryAt, dueBefore)))
    .limit(limit)
}

/** The owner of a game, and how many deliveries of all their games wait, counted up to the limit. */
export async function countWaiting(db: Db, gameUid: string, limit: number) {
  const game = await one(db.select({ ownerUid: games.ownerUid }).from(games).where(eq(games.uid, gameUid)))
  if (!game) return undefined
  const waiting = db
    .select({ uid: bugDeliveries.uid })
    .from(bugDeliveries)
    .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
    .where(and(eq(games.ownerUid, game.ownerUid), isPending))
    .limit(limit)
    .as('waiting')
  return { ...game, count: await db.$count(waiting) }
}

/** Whether a job with this key waits whose time has come. It does not start until the transaction ends. */
export async function lockDueJob(tx: Transaction, key: string): Promise<boolean> {
  return await hasRows(
    tx.execute(sql`
      select from graphile_worker._private_jobs
      where key = ${key} and is_available and run_at <= now() for update skip locked`),
  )
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
export async function expediteOthers(
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

/** Postpones deliveries to the same URL that are due earlier. */
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
  return await one(
    tx
      .select()
      .from(bugDeliveries)
      .where(and(eq(bugDeliveries.uid, uid), eq(bugDeliveries.gameUid, gameUid)))
      .for('no key update'),
  )
}

export async function listDeliveries(db: Db, gameUid: string, page: Page): Promise<Paged<DeliveryRow>> {
  const isOfGame = eq(bugDeliveries.gameUid, gameUid)
  const newest = db.select().from(bugDeliveries).where(isOfGame).orderBy(desc(bugDeliveries.uid))
  return await pageOf(newest, db.$count(bugDeliveries, isOfGame), page)
}

/** Oldest first. */
export async function listByUid(db: Db, uids: readonly string[]): Promise<DeliveryRow[]> {
  return await db
    .select()
    .from(bugDeliveries)
    .where(anyOf(bugDeliveries.uid, uids))
    .orderBy(bugDeliveries.uid)
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
  return await countChanged(db.delete(bugDeliveries).where(inArray(bugDeliveries.uid, old)))
}
