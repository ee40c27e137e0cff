import type { OrderSubject } from '../../../clients/stripe/payments.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue, enqueueAll } from '../../../jobs/queue.ts'
import { requirePayments } from '../payouts/service.ts'
import { settleOrders } from './jobs.ts'
import * as queries from './queries.ts'
import { syncOrder } from './sync.ts'

/** Of one job: jobs cost more than what most of them do, and several run at once. */
const BATCH = 10

/** Each of them once: Stripe is asked for the newest state anyway. */
export async function queueSubjects(tx: Db, subjects: readonly OrderSubject[]): Promise<void> {
  const distinct = [...new Map(subjects.map((subject) => [keyOf(subject), subject])).values()]
  for (let start = 0; start < distinct.length; start += BATCH)
    await enqueue(tx, settleOrders, { subjects: distinct.slice(start, start + BATCH) })
}

/** One that fails among several gets a job of its own, which asks again later. */
export async function settleSubjects(
  deps: Deps,
  subjects: readonly OrderSubject[],
  signal: AbortSignal,
): Promise<void> {
  const [only] = subjects
  if (only && subjects.length === 1) return await settleSubject(deps, only)
  for (const subject of subjects) {
    signal.throwIfAborted()
    await settleSubject(deps, subject).catch(async (error: unknown) => {
      deps.log.warn('An order could not be settled and is asked about again', { subject, error })
      const payload = { subjects: [subject] }
      await enqueueAll(deps.db, settleOrders, [{ key: keyOf(subject), payload }])
    })
  }
}

async function settleSubject(deps: Deps, subject: OrderSubject): Promise<void> {
  if (subject.kind === 'order') {
    await syncOrder(deps, subject.orderUid, subject.sessionId)
    return
  }
  const known = await queries.findOrderByPayment(deps.db, subject.paymentId)
  const orderUid = known ?? (await requirePayments(deps).findOrderOf(subject.paymentId))
  if (orderUid !== null) await syncOrder(deps, orderUid)
}

function keyOf(subject: OrderSubject): string {
  return subject.kind === 'order' ? `order ${subject.orderUid}` : `payment ${subject.paymentId}`
}
