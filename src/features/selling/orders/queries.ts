import { and, asc, desc, eq, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'

import type { FailedRefund } from '../../../clients/stripe/payments.ts'
import { changed, type Db, hasRows, one, pageOf, type Transaction } from '../../../db/client.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import { keyBatches, licenseKeys, orders, refunds } from '../../../db/schema/selling.ts'
import type { Page } from '../../../lib/paging.ts'

export type OrderRow = typeof orders.$inferSelect
export type RefundRow = typeof refunds.$inferSelect
export type ShownOrder = Awaited<ReturnType<typeof listOrders>>['items'][number]

export async function findOrder(db: Db, uid: string): Promise<OrderRow | undefined> {
  return await one(db.select().from(orders).where(eq(orders.uid, uid)))
}

export async function hasListing(db: Db, uid: string): Promise<boolean> {
  return (await db.$count(games, eq(games.uid, uid))) > 0
}

export async function lockOrder(tx: Transaction, uid: string): Promise<OrderRow | undefined> {
  return await one(tx.select().from(orders).where(eq(orders.uid, uid)).for('update'))
}

export async function markRefundsMailed(tx: Transaction, uid: string): Promise<void> {
  await tx
    .update(orders)
    .set({ toldCents: sql`${orders.refundedCents}` })
    .where(eq(orders.uid, uid))
}

export async function findOrderByPayment(db: Db, paymentId: string): Promise<string | undefined> {
  const [row] = await db.select({ uid: orders.uid }).from(orders).where(eq(orders.paymentId, paymentId))
  return row?.uid
}

const openOf = (userUid: string, gameUid: string) =>
  and(eq(orders.userUid, userUid), eq(orders.gameUid, gameUid), eq(orders.status, 'open'))

export async function findOpenOrder(db: Db, userUid: string, gameUid: string): Promise<OrderRow | undefined> {
  return await one(db.select().from(orders).where(openOf(userUid, gameUid)))
}

/** Returns undefined if the buyer has another open order of the game. */
export async function insertOrder(db: Db, order: typeof orders.$inferInsert): Promise<OrderRow | undefined> {
  return await one(db.insert(orders).values(order).onConflictDoNothing().returning())
}

export async function countOpenOrders(tx: Transaction, userUid: string): Promise<number> {
  return await tx.$count(orders, and(eq(orders.userUid, userUid), eq(orders.status, 'open')))
}

/** Returns false if the order was deleted or closed: then nobody may get the address of its session. */
export async function setSession(
  db: Db,
  uid: string,
  { sessionId, url }: { sessionId: string; url: string },
): Promise<boolean> {
  return await changed(
    db
      .update(orders)
      .set({ sessionId, sessionUrl: url, revision: sql`${orders.revision} + 1` })
      .where(
        and(
          eq(orders.uid, uid),
          isNull(orders.closedAt),
          or(isNull(orders.sessionId), eq(orders.sessionId, sessionId)),
        ),
      ),
  )
}

/** Deletes the order only if it has no session, so that nobody can have paid it. */
export async function deleteUnstarted(db: Db, uid: string): Promise<void> {
  await db.delete(orders).where(and(eq(orders.uid, uid), eq(orders.status, 'open'), sql`session_id is null`))
}

export async function deleteUnstartedBefore(db: Db, before: Date): Promise<void> {
  await db
    .delete(orders)
    .where(and(eq(orders.status, 'open'), lt(orders.createdAt, before), sql`session_id is null`))
}

/** The columns of an order that follow Stripe's state. */
export type OrderChange = Partial<
  Pick<
    OrderRow,
    | 'status'
    | 'refundedCents'
    | 'feeRefundedCents'
    | 'dispute'
    | 'disputedCents'
    | 'settlesShare'
    | 'country'
    | 'sessionId'
    | 'paymentId'
    | 'receiptUrl'
    | 'paidAt'
  >
>

/** Returns undefined if the order has changed since it was read. */
export async function updateOrder(
  tx: Transaction,
  { uid, revision }: OrderRow,
  change: OrderChange,
): Promise<OrderRow | undefined> {
  return await one(
    tx
      .update(orders)
      .set({ ...change, revision: revision + 1, checkedAt: new Date() })
      .where(and(eq(orders.uid, uid), eq(orders.revision, revision)))
      .returning(),
  )
}

/** Claims a check: false if one was made since `before`; true for only one of several concurrent callers. */
export async function markChecked(db: Db, uid: string, before: Date): Promise<boolean> {
  return await changed(
    db
      .update(orders)
      .set({ checkedAt: new Date() })
      .where(and(eq(orders.uid, uid), lt(orders.checkedAt, before))),
  )
}

/** Open orders that a buyer may have paid, those with the oldest check first. */
export async function listOpenOrders(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .select({ uid: orders.uid })
    .from(orders)
    .where(and(eq(orders.status, 'open'), isNotNull(orders.sessionId), lt(orders.checkedAt, before)))
    .orderBy(asc(orders.checkedAt))
    .limit(limit)
  return rows.map(({ uid }) => uid)
}

/** The order that pays for the licence: the earliest paid one. */
export async function findPayingOrder(
  tx: Transaction,
  userUid: string,
  gameUid: string,
): Promise<OrderRow | undefined> {
  return await one(
    tx
      .select()
      .from(orders)
      .where(
        and(
          eq(orders.userUid, userUid),
          eq(orders.gameUid, gameUid),
          eq(orders.status, 'paid'),
          isNull(orders.closedAt),
        ),
      )
      .orderBy(asc(orders.paidAt), asc(orders.uid))
      .limit(1),
  )
}

/** What the player paid for and did not get refunded, also while a bank decides, or owns by a gift or key. */
export async function listOwnedEditions(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<(string | null)[]> {
  const paid = db
    .select({ editionUid: orders.editionUid })
    .from(orders)
    .where(
      and(
        eq(orders.userUid, userUid),
        eq(orders.gameUid, gameUid),
        isNull(orders.closedAt),
        or(eq(orders.status, 'paid'), and(eq(orders.status, 'disputed'), eq(orders.dispute, 'open'))),
      ),
    )
  const given = db
    .select({ editionUid: licenses.editionUid })
    .from(licenses)
    .where(
      and(
        eq(licenses.userUid, userUid),
        eq(licenses.gameUid, gameUid),
        eq(licenses.pending, false),
        sql`${licenses.source} <> 'bought'`,
      ),
    )
  const redeemed = db
    .select({ editionUid: keyBatches.editionUid })
    .from(licenseKeys)
    .innerJoin(keyBatches, eq(keyBatches.uid, licenseKeys.batchUid))
    .where(and(eq(licenseKeys.redeemedBy, userUid), eq(keyBatches.gameUid, gameUid)))
  return (await paid.union(given).union(redeemed)).map(({ editionUid }) => editionUid)
}

const selectOrders = (db: Db) =>
  db
    .select({
      order: orders,
      vanityName: games.vanityName,
      visibility: games.visibility,
      isRefundPending: sql<boolean>`exists (select 1 from ${refunds}
        where ${refunds.orderUid} = ${orders.uid} and ${refunds.state} = 'pending')`,
    })
    .from(orders)
    .leftJoin(games, eq(games.uid, orders.gameUid))

/** Only orders with a session at Stripe. */
const startedBy = (userUid: string) => and(eq(orders.userUid, userUid), isNotNull(orders.sessionId))

export async function listOrders(db: Db, userUid: string, page: Page) {
  const own = selectOrders(db).where(startedBy(userUid)).orderBy(desc(orders.createdAt), desc(orders.uid))
  return await pageOf(own, db.$count(orders, startedBy(userUid)), page)
}

export async function findShownOrder(db: Db, uid: string): Promise<ShownOrder | undefined> {
  return await one(selectOrders(db).where(and(eq(orders.uid, uid), isNotNull(orders.sessionId))))
}

/** Returns the order and the listing's owner, or the seller if the listing was deleted. */
export async function findOrderWithOwner(
  db: Db,
  uid: string,
): Promise<{ order: OrderRow; ownerUid: string | null } | undefined> {
  const [row] = await db
    .select({ order: orders, ownerUid: games.ownerUid })
    .from(orders)
    .leftJoin(games, eq(games.uid, orders.gameUid))
    .where(eq(orders.uid, uid))
  return row && { order: row.order, ownerUid: row.ownerUid ?? row.order.sellerUid }
}

export async function listRefunds(db: Db, orderUid: string): Promise<RefundRow[]> {
  return await db.select().from(refunds).where(eq(refunds.orderUid, orderUid)).orderBy(refunds.uid)
}

/** Whether the buyer has refunded another order of the game themselves. */
export async function hasRefundedBefore(
  db: Db,
  userUid: string,
  gameUid: string,
  exceptUid: string,
): Promise<boolean> {
  return await hasRows(
    db
      .select({ uid: refunds.uid })
      .from(refunds)
      .innerJoin(orders, eq(orders.uid, refunds.orderUid))
      .where(
        and(
          eq(orders.userUid, userUid),
          eq(orders.gameUid, gameUid),
          ne(orders.uid, exceptUid),
          eq(refunds.role, 'buyer'),
          ne(refunds.state, 'failed'),
        ),
      )
      .limit(1),
  )
}

export async function insertRefund(tx: Transaction, refund: typeof refunds.$inferInsert): Promise<void> {
  await tx.insert(refunds).values(refund)
}

export async function findRefund(
  db: Db,
  uid: string,
): Promise<{ refund: RefundRow; order: OrderRow } | undefined> {
  return await one(
    db
      .select({ refund: refunds, order: orders })
      .from(refunds)
      .innerJoin(orders, eq(orders.uid, refunds.orderUid))
      .where(eq(refunds.uid, uid)),
  )
}

export async function closeRefund(
  db: Db,
  uid: string,
  outcome: { state: 'done' } | { state: 'failed'; fault: string },
): Promise<void> {
  await db
    .update(refunds)
    .set(outcome)
    .where(and(eq(refunds.uid, uid), eq(refunds.state, 'pending')))
}

/** Returns the cents of each refund that was made, by its uid. */
export async function listMadeRefunds(db: Db, orderUid: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select({ uid: refunds.uid, cents: refunds.amountCents })
    .from(refunds)
    .where(and(eq(refunds.orderUid, orderUid), eq(refunds.state, 'done')))
  return new Map(rows.map(({ uid, cents }) => [uid, cents]))
}

export async function failRefunds(
  tx: Transaction,
  orderUid: string,
  failed: readonly FailedRefund[],
): Promise<void> {
  for (const { refundUid, fault } of failed) {
    await tx
      .update(refunds)
      .set({ state: 'failed', fault })
      .where(and(eq(refunds.uid, refundUid), eq(refunds.orderUid, orderUid)))
  }
}
