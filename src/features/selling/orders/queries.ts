import { and, asc, desc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'

import type { FailedRefund } from '../../../clients/stripe/payments.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import { keyBatches, licenseKeys } from '../../../db/schema/selling/license-keys.ts'
import { orders, refunds } from '../../../db/schema/selling/orders.ts'
import type { Page } from '../../../lib/paging.ts'

export type OrderRow = typeof orders.$inferSelect
export type NewOrder = typeof orders.$inferInsert
export type ShownOrder = Awaited<ReturnType<typeof listOrders>>[number]

export async function findOrder(db: Db, uid: string): Promise<OrderRow | undefined> {
  const [row] = await db.select().from(orders).where(eq(orders.uid, uid))
  return row
}

export async function lockOrder(tx: Transaction, uid: string): Promise<OrderRow | undefined> {
  const [row] = await tx.select().from(orders).where(eq(orders.uid, uid)).for('update')
  return row
}

export async function markRefundsTold(tx: Transaction, uid: string): Promise<void> {
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
  const [row] = await db.select().from(orders).where(openOf(userUid, gameUid))
  return row
}

/** Undefined when the buyer has another open order of the game. */
export async function insertOrder(db: Db, order: NewOrder): Promise<OrderRow | undefined> {
  const [row] = await db.insert(orders).values(order).onConflictDoNothing().returning()
  return row
}

export async function countOpenOrders(tx: Transaction, userUid: string): Promise<number> {
  return await tx.$count(orders, and(eq(orders.userUid, userUid), eq(orders.status, 'open')))
}

/** Returns false when the order is gone or closed: its session must not be handed out then. */
export async function setSession(
  db: Db,
  uid: string,
  { sessionId, url }: { sessionId: string; url: string },
): Promise<boolean> {
  const rows = await db
    .update(orders)
    .set({ sessionId, sessionUrl: url, revision: sql`${orders.revision} + 1` })
    .where(
      and(
        eq(orders.uid, uid),
        isNull(orders.closedAt),
        or(isNull(orders.sessionId), eq(orders.sessionId, sessionId)),
      ),
    )
    .returning({ uid: orders.uid })
  return rows.length > 0
}

/** Only what nobody can have paid: its session was never handed out. */
export async function deleteUnbegun(db: Db, uid: string): Promise<void> {
  await db.delete(orders).where(and(eq(orders.uid, uid), eq(orders.status, 'open'), sql`session_id is null`))
}

export async function deleteUnbegunBefore(db: Db, before: Date): Promise<void> {
  await db
    .delete(orders)
    .where(and(eq(orders.status, 'open'), lt(orders.createdAt, before), sql`session_id is null`))
}

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

/** The cents of each. */
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

/** Undefined when it changed since it was read. */
export async function updateOrder(
  tx: Transaction,
  { uid, revision }: OrderRow,
  change: OrderChange,
): Promise<OrderRow | undefined> {
  const [row] = await tx
    .update(orders)
    .set({ ...change, revision: revision + 1, checkedAt: new Date() })
    .where(and(eq(orders.uid, uid), eq(orders.revision, revision)))
    .returning()
  return row
}

/** Returns false when it was asked about since `before`; true for one of several callers at once. */
export async function markChecked(db: Db, uid: string, before: Date): Promise<boolean> {
  const rows = await db
    .update(orders)
    .set({ checkedAt: new Date() })
    .where(and(eq(orders.uid, uid), lt(orders.checkedAt, before)))
    .returning({ uid: orders.uid })
  return rows.length > 0
}

/** Open orders that a buyer may have paid, longest unasked first. */
export async function listWaiting(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .select({ uid: orders.uid })
    .from(orders)
    .where(and(eq(orders.status, 'open'), isNotNull(orders.sessionId), lt(orders.checkedAt, before)))
    .orderBy(asc(orders.checkedAt))
    .limit(limit)
  return rows.map(({ uid }) => uid)
}

/** The order that pays for the licence: the first of those that are paid. */
export async function findGround(
  tx: Transaction,
  userUid: string,
  gameUid: string,
): Promise<OrderRow | undefined> {
  const [row] = await tx
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
    .limit(1)
  return row
}

/** What the player has paid for and not got back, also while the bank decides, and what they hold otherwise. */
export async function listHeldEditions(db: Db, userUid: string, gameUid: string): Promise<(string | null)[]> {
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
      buyer: users.username,
      isRefundPending: sql<boolean>`exists (select 1 from ${refunds}
        where ${refunds.orderUid} = ${orders.uid} and ${refunds.state} = 'pending')`,
    })
    .from(orders)
    .leftJoin(games, eq(games.uid, orders.gameUid))
    .leftJoin(users, eq(users.id, orders.userUid))

/** Those that Stripe knows. */
const begunBy = (userUid: string) => and(eq(orders.userUid, userUid), isNotNull(orders.sessionId))

export async function listOrders(db: Db, userUid: string, page: Page) {
  return await selectOrders(db)
    .where(begunBy(userUid))
    .orderBy(desc(orders.createdAt), desc(orders.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countOrders(db: Db, userUid: string): Promise<number> {
  return await db.$count(orders, begunBy(userUid))
}

export async function findShownOrder(db: Db, uid: string): Promise<ShownOrder | undefined> {
  const [row] = await selectOrders(db).where(and(eq(orders.uid, uid), isNotNull(orders.sessionId)))
  return row
}
