import type { Deps } from '../../../deps.ts'
import { requirePayments } from '../payouts/service.ts'
import { shareOf } from './derive.ts'
import * as queries from './queries.ts'

/** Only after a dispute: until then charges and refunds move the developer's part themselves. */
export async function payShare(deps: Deps, orderUid: string): Promise<void> {
  const order = await queries.findOrder(deps.db, orderUid)
  if (!order || order.paymentId === null || order.dispute === null) return
  const { paymentId, accountId } = order
  await requirePayments(deps).setShare({ orderUid, paymentId, accountId, cents: shareOf(order) })
}
