import type { Transaction } from '../../db/client.ts'
import { enqueueAll } from '../../jobs/queue.ts'
import { endCheckout } from './jobs.ts'
import * as queries from './shared-sale-queries.ts'

/**
 * Call in every transaction that may end a sale, after its change: hiding, taking down, suspending, adult
 * content. It expires the orders; a job then closes their pages at Stripe.
 */
export async function closeUnpayableOrders(tx: Transaction, scope: queries.SaleScope): Promise<void> {
  await queries.deleteUnpayable(tx, scope)
  const closed = await queries.closeUnpayable(tx, scope)
  const entries = closed.map((orderUid) => ({ key: `close ${orderUid}`, payload: { orderUid } }))
  await enqueueAll(tx, endCheckout, entries)
}
