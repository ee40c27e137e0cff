import { and, eq, exists, isNotNull, isNull, not, or, sql } from 'drizzle-orm'
import { alias, type PgColumn } from 'drizzle-orm/pg-core'

import { type Db, hasRows, type Transaction } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { games } from '../../db/schema/games/games.ts'
import { orders } from '../../db/schema/selling.ts'

/** Selects orders: of one listing, of one person as buyer or seller, or all. */
export type SaleScope = { gameUid: string } | { userUid: string } | 'all'

/**
 * A sale needs a public page, a seller and a buyer who are not suspended, and a buyer who may see adult pages
 * if the page is one.
 */
function selectSale(db: Db, gameUid: PgColumn | string, buyerUid: PgColumn | string) {
  const [seller, buyer] = [alias(users, 'seller'), alias(users, 'buyer')]
  return db
    .select({ uid: games.uid })
    .from(games)
    .innerJoin(seller, and(eq(seller.id, games.ownerUid), isNull(seller.suspendedAt)))
    .innerJoin(buyer, and(eq(buyer.id, buyerUid), isNull(buyer.suspendedAt)))
    .where(
      and(eq(games.uid, gameUid), eq(games.visibility, 'public'), or(buyer.adultContent, not(games.adult))),
    )
}

function inScope(scope: SaleScope) {
  if (scope === 'all') return undefined
  if ('gameUid' in scope) return eq(orders.gameUid, scope.gameUid)
  return or(eq(orders.userUid, scope.userUid), eq(orders.sellerUid, scope.userUid))
}

const isUnpayable = (db: Db, scope: SaleScope) =>
  and(eq(orders.status, 'open'), inScope(scope), not(exists(selectSale(db, orders.gameUid, orders.userUid))))

/** Expires the orders that Stripe knows, and returns them. */
export async function closeUnpayable(tx: Transaction, scope: SaleScope): Promise<string[]> {
  const rows = await tx
    .update(orders)
    .set({ status: 'expired', closedAt: new Date(), revision: sql`${orders.revision} + 1` })
    .where(and(isUnpayable(tx, scope), isNotNull(orders.sessionId)))
    .returning({ uid: orders.uid })
  return rows.map(({ uid }) => uid)
}

/**
 * Deletes the orders that Stripe does not know. A checkout that is still creating its session finds them
 * gone.
 */
export async function deleteUnpayable(tx: Transaction, scope: SaleScope): Promise<void> {
  await tx.delete(orders).where(and(isUnpayable(tx, scope), isNull(orders.sessionId)))
}

/** Locks page, owner and buyer until the transaction ends. Returns whether this buyer can buy it. */
export async function lockSale(tx: Transaction, gameUid: string, buyerUid: string): Promise<boolean> {
  const [game] = await tx
    .select({ ownerUid: games.ownerUid })
    .from(games)
    .where(eq(games.uid, gameUid))
    .for('share')
  if (!game) return false
  const people = [game.ownerUid, buyerUid]
  await tx
    .select({ uid: users.id })
    .from(users)
    .where(sql`${users.id} = any(${sql.param(people)}::uuid[])`)
    .orderBy(users.id)
    .for('share')
  return (await selectSale(tx, gameUid, buyerUid)).length > 0
}

/** Paid and not refunded, including disputed orders that a bank still has to decide. */
export async function hasPaidOrders(db: Db, gameUid: string): Promise<boolean> {
  const isPaid = sql`${orders.status} in ('paid', 'disputed')`
  return await hasRows(
    db
      .select({ uid: orders.uid })
      .from(orders)
      .where(and(eq(orders.gameUid, gameUid), isPaid))
      .limit(1),
  )
}
