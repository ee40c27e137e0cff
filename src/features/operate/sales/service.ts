import type { RecordRefund } from '../../selling/refunds/service.ts'
import { recordAct } from '../audit/service.ts'

export const recordRefund: RecordRefund = async (tx, operator, { orderUid, gameName, reason }) => {
  const facts = { act: 'refund_order', subject: 'order', id: orderUid, name: gameName, reason } as const
  await recordAct(tx, operator, facts)
}
