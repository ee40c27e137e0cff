import type { Deps } from '../../../deps.ts'
import { requirePayments } from '../payouts/service.ts'
import { shareOf } from './derive.ts'
import * as queries from './queries.ts'

/** Until a dispute, or a refund that comes back, charges and refunds move the developer's part themselves. */
export async function payShare(deps: Deps, orderUid: string): Promise<void> {
  const order = await queries.findOrder(deps.db, orderUid)
  if (!order || order.paymentId === null || !order.settlesShare) return
  const { paymentId, accountId } = order
  await requirePayments(deps).setShare({ orderUid, paymentId, accountId, cents: shareOf(order) })
}
