import { and, eq, ne } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { games } from '../../../db/schema/games/games.ts'
import { orders, refunds } from '../../../db/schema/selling/orders.ts'

export type RefundRow = typeof refunds.$inferSelect
export type OrderRow = typeof orders.$inferSelect

/** With the owner of the listing; of a listing that was deleted, with whoever sold it. */
export async function findOrder(
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

export async function lockOrder(tx: Transaction, uid: string): Promise<OrderRow | undefined> {
  const [row] = await tx.select().from(orders).where(eq(orders.uid, uid)).for('update')
  return row
}

export async function listRefunds(db: Db, orderUid: string): Promise<RefundRow[]> {
  return await db.select().from(refunds).where(eq(refunds.orderUid, orderUid)).orderBy(refunds.uid)
}

/** Whether the buyer gave another order of the game back by themselves. */
export async function hasReturned(
  db: Db,
  userUid: string,
  gameUid: string,
  exceptUid: string,
): Promise<boolean> {
  const rows = await db
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
    .limit(1)
  return rows.length > 0
}

export async function insertRefund(tx: Transaction, refund: typeof refunds.$inferInsert): Promise<void> {
  await tx.insert(refunds).values(refund)
}

export async function findRefund(
  db: Db,
  uid: string,
): Promise<{ refund: RefundRow; order: OrderRow } | undefined> {
  const [row] = await db
    .select({ refund: refunds, order: orders })
    .from(refunds)
    .innerJoin(orders, eq(orders.uid, refunds.orderUid))
    .where(eq(refunds.uid, uid))
  return row
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
