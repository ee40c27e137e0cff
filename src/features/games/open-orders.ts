import type { Transaction } from '../../db/client.ts'
import { enqueueAll } from '../../jobs/queue.ts'
import { endCheckout } from './jobs.ts'
import * as queries from './sale-queries.ts'

/**
 * Called in every transaction that may end a sale, after its change: hiding, taking down, suspending, adult content.
 * The orders count as expired with it; a job then ends their pages at Stripe.
 */
export async function closeUnpayableOrders(tx: Transaction, scope: queries.SaleScope): Promise<void> {
  await queries.deleteUnpayable(tx, scope)
  const closed = await queries.closeUnpayable(tx, scope)
  const entries = closed.map((orderUid) => ({ key: `close ${orderUid}`, payload: { orderUid } }))
  await enqueueAll(tx, endCheckout, entries)
}

/** Whether this buyer can buy it. What would end the sale waits until the transaction ends. */
export async function holdSale(tx: Transaction, gameUid: string, buyerUid: string): Promise<boolean> {
  return await queries.holdSale(tx, gameUid, buyerUid)
}

/** Its buyers keep downloading, so such a listing stays. */
export async function hasPaidOrders(tx: Transaction, gameUid: string): Promise<boolean> {
  return await queries.hasPaidOrders(tx, gameUid)
}
