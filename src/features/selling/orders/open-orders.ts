import { PaymentsFailure, type Purchase } from '../../../clients/stripe/payments.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { lockHolding } from '../../community/library/holdings.ts'
import { endCheckout } from '../../games/jobs.ts'
import { holdSale } from '../../games/open-orders.ts'
import { syncPayouts } from '../payouts/jobs.ts'
import { requirePayments } from '../payouts/service.ts'
import { holdsEdition } from './held.ts'
import * as queries from './queries.ts'
import { expireOrder } from './sync.ts'

export type OpenOrder = queries.OrderRow

/** Of a buyer: each is asked about every minute. */
const OPEN_ORDERS_MAX = 20
/** Makes the orders of a buyer wait for each other while they are counted. */
const ANY_GAME = 'open orders'

export async function findOpenOrder(
  { db }: Deps,
  userUid: string,
  gameUid: string,
): Promise<OpenOrder | null> {
  return (await queries.findOpenOrder(db, userUid, gameUid)) ?? null
}

/** Null when the sale ended meanwhile, or another request of the buyer was faster: it ordered the game, or got it. */
export async function insertOrder(
  { db }: Deps,
  order: Omit<queries.NewOrder, 'checkedAt' | 'userUid'> & { userUid: string },
): Promise<OpenOrder | null> {
  const { userUid, gameUid, editionUid = null } = order
  return await db.transaction(async (tx) => {
    await lockHolding(tx, userUid, gameUid)
    if (await holdsEdition(tx, userUid, gameUid, editionUid)) return null
    if (!(await holdSale(tx, gameUid, userUid))) return null
    await lockHolding(tx, userUid, ANY_GAME)
    if ((await queries.countOpenOrders(tx, userUid)) >= OPEN_ORDERS_MAX)
      throw new AppError('taken', {
        message: `You have ${OPEN_ORDERS_MAX} orders that are not paid. Pay or cancel one of them first.`,
      })
    // Nobody has asked Stripe about it: the first who looks does.
    return (await queries.insertOrder(tx, { ...order, checkedAt: new Date(0) })) ?? null
  })
}

/**
 * Asks Stripe for the page of the order. The session is stored before anybody learns its address, so an order without
 * one was never paid: what fails here leaves nothing behind. Null when the sale ended meanwhile.
 */
export async function beginPayment(
  deps: Deps,
  { uid, accountId }: OpenOrder,
  purchase: Purchase,
): Promise<string | null> {
  try {
    const session = await requirePayments(deps).openSession(purchase)
    return (await queries.setSession(deps.db, uid, session)) ? session.url : null
  } catch (error) {
    await queries.deleteUnbegun(deps.db, uid)
    // Most often the developer's account can no longer take charges, and the event that says so was lost.
    if (error instanceof PaymentsFailure && error.kind === 'refused')
      await enqueue(deps.db, syncPayouts, { accountId }, { key: `account ${accountId}` })
    throw error
  }
}

/** Makes room for another order of the same game. */
export async function closeOrder(deps: Deps, { uid, sessionId }: OpenOrder): Promise<void> {
  if (sessionId === null) await queries.deleteUnbegun(deps.db, uid)
  else await expireOrder(deps, uid)
}

export async function closeOrderNamed(deps: Deps, orderUid: string): Promise<void> {
  const order = await queries.findOrder(deps.db, orderUid)
  if (order?.status === 'open' || order?.closedAt) await closeOrder(deps, order)
}

/** In the transaction that gave a licence: nobody should pay for what they have by now. */
export async function closeOrderIfHeld(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  const open = await queries.findOpenOrder(tx, userUid, gameUid)
  if (open && (await holdsEdition(tx, userUid, gameUid, open.editionUid)))
    await enqueue(tx, endCheckout, { orderUid: open.uid })
}
