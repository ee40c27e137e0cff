import type { EventSubject, PaymentEvent } from '../../../clients/stripe/payments.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { syncOrders, syncPayment } from '../orders/jobs.ts'
import { syncPayouts } from '../payouts/jobs.ts'
import { requirePayments } from '../payouts/service.ts'
import { insertEvent } from './queries.ts'

/** Takes an event in once, with the job that asks Stripe what it is about. */
export async function receiveEvent(deps: Deps, body: string, signature: string): Promise<void> {
  const event = await requirePayments(deps).readEvent(body, signature)
  if (!event) {
    throw new AppError('invalid_request', {
      message: 'This event was not signed by Stripe in the last five minutes, or not with our secret.',
    })
  }
  await takeIn(deps.db, event)
}

/** The second time nothing happens. */
export async function takeIn(db: Db, event: PaymentEvent): Promise<void> {
  const { subject } = event
  if (!subject) return
  await db.transaction(async (tx) => {
    if (await insertEvent(tx, event)) await queueWork(tx, subject)
  })
}

/** Waiting jobs about the same thing are one: it asks for the newest state anyway. */
async function queueWork(tx: Transaction, subject: EventSubject): Promise<void> {
  switch (subject.kind) {
    case 'order': {
      const { orderUid, sessionId } = subject
      return await enqueue(tx, syncOrders, { orderUid, sessionId }, { key: `order ${orderUid}` })
    }
    case 'payment': {
      const { paymentId } = subject
      return await enqueue(tx, syncPayment, { paymentId }, { key: `payment ${paymentId}` })
    }
    case 'account': {
      const { accountId } = subject
      return await enqueue(tx, syncPayouts, { accountId }, { key: `account ${accountId}` })
    }
  }
}
