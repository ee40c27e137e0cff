import type { OrderSubject, PaymentEvent } from '../../../clients/stripe/payments.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { enqueueAll } from '../../../jobs/queue.ts'
import { coalesceMany } from '../../../lib/flow/coalesce.ts'
import { queueSubjects } from '../orders/subjects.ts'
import { syncPayouts } from '../payouts/jobs.ts'
import { requirePayments } from '../payouts/service.ts'
import { insertEvents } from './queries.ts'

/** Of one transaction. */
const BATCH = 200
/** Between two transactions while events keep coming. */
const APART_MS = 50

export type ReceiveEvent = (body: string, signature: string) => Promise<void>

/**
 * Returns when the event is stored, with the job that asks Stripe what it is about. Events that come within a moment
 * share a transaction: however many come, they use one connection, and pages have the others.
 */
export function createReceiver(deps: Deps): ReceiveEvent {
  const waiting = new Map<string, PaymentEvent>()
  const store = coalesceMany(async (ids) => {
    const events = ids.flatMap((id) => waiting.get(id) ?? [])
    for (const id of ids) waiting.delete(id)
    await takeIn(deps.db, events)
    return new Map()
  }, APART_MS)
  return async (body, signature) => {
    const event = await requirePayments(deps).readEvent(body, signature)
    if (!event) {
      throw new AppError('invalid_request', {
        message:
          'This is no event that Stripe signed with our secret in the last five minutes, or it is larger than one can be.',
      })
    }
    if (!event.subject) return
    waiting.set(event.id, event)
    await store([event.id])
  }
}

/** Each of them once: the second time nothing happens. */
export async function takeIn(db: Db, events: readonly PaymentEvent[]): Promise<void> {
  // In the same order everywhere, so that processes with the same events do not block each other.
  const sorted = events
    .filter(({ subject }) => subject !== null)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (let start = 0; start < sorted.length; start += BATCH) {
    const batch = sorted.slice(start, start + BATCH)
    await db.transaction(async (tx) => {
      const added = await insertEvents(tx, batch)
      await queueWork(
        tx,
        batch.filter(({ id }) => added.has(id)),
      )
    })
  }
}

async function queueWork(tx: Transaction, events: readonly PaymentEvent[]): Promise<void> {
  const orders: OrderSubject[] = []
  const accounts: { key: string; payload: { accountId: string } }[] = []
  for (const { subject } of events) {
    if (subject?.kind === 'account') {
      const { accountId } = subject
      accounts.push({ key: `account ${accountId}`, payload: { accountId } })
    } else if (subject) orders.push(subject)
  }
  await queueSubjects(tx, orders)
  await enqueueAll(tx, syncPayouts, accounts)
}
