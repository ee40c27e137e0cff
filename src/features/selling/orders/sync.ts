import type { FailedRefund, Payments, PaymentState } from '../../../clients/stripe/payments.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { endBoughtLicense, giveBoughtLicense, lockHolding } from '../../community/library/holdings.ts'
import { requirePayments } from '../payouts/service.ts'
import { deriveChange } from './derive.ts'
import { refundUndelivered, settleShare } from './jobs.ts'
import { announceChange } from './notices.ts'
import * as queries from './queries.ts'

const ATTEMPTS = 5
/** Of a thread: thousands of events are settled one after the other, and leave the database to those who browse. */
const writing = createSemaphore(1)

/**
 * Writes what Stripe says about the order, unless another call wrote meanwhile: then Stripe is asked again. So what is
 * written last was read last, in whatever order events and answers come.
 */
export async function syncOrder(
  deps: Deps,
  orderUid: string,
  knownSession?: string,
): Promise<queries.OrderRow | null> {
  const payments = requirePayments(deps)
  return await settle(deps, payments, orderUid, async (order) => {
    const sessionId = order.sessionId ?? knownSession
    return sessionId === undefined ? null : await payments.readPayment(sessionId)
  })
}

/** Ends the session at Stripe first: nobody can pay for an order that is shown as expired. */
export async function expireOrder(deps: Deps, orderUid: string): Promise<queries.OrderRow | null> {
  const payments = requirePayments(deps)
  return await settle(deps, payments, orderUid, async ({ sessionId, status, closedAt, paidAt }) => {
    if (sessionId === null) return null
    const isPayable = status === 'open' || (closedAt !== null && paidAt === null)
    return await (isPayable ? payments.expireSession(sessionId) : payments.readPayment(sessionId))
  })
}

async function settle(
  deps: Deps,
  payments: Payments,
  orderUid: string,
  ask: (order: queries.OrderRow) => Promise<PaymentState | null>,
): Promise<queries.OrderRow | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const order = await queries.findOrder(deps.db, orderUid)
    const state = order ? await ask(order) : null
    if (!order || !state) return order ?? null
    const failed = await listFailed(deps.db, payments, order, state)
    const change = deriveChange(order, state, failed.length > 0)
    if (!change && failed.length === 0) return order
    using held = new DisposableStack()
    held.use(await writing.acquire())
    const written = await deps.db.transaction((tx) => write(deps, tx, order, change ?? {}, failed))
    if (written) return written
  }
  throw new Error('The order is being changed by others; asking again')
}

/** When Stripe counts less than was refunded here, some of it came back. */
async function listFailed(
  db: Db,
  payments: Payments,
  { uid: orderUid }: queries.OrderRow,
  { payment }: PaymentState,
): Promise<FailedRefund[]> {
  if (payment === null) return []
  const made = await queries.listMadeRefunds(db, orderUid)
  const refunded = [...made.values()].reduce((sum, cents) => sum + cents, 0)
  if (payment.refundedCents >= refunded) return []
  return (await payments.listFailedRefunds(payment.id)).filter(({ refundUid }) => made.has(refundUid))
}

/** The order, its licence and its mails in one transaction. Null when another change was faster. */
async function write(
  deps: Deps,
  tx: Transaction,
  before: queries.OrderRow,
  change: queries.OrderChange,
  failed: readonly FailedRefund[],
): Promise<queries.OrderRow | null> {
  // Before the row, as whoever orders does: a purchase is not placed while another one is being paid.
  if (before.userUid !== null) await lockHolding(tx, before.userUid, before.gameUid)
  const order = await queries.updateOrder(tx, before, change)
  if (!order) return null
  await queries.failRefunds(tx, order.uid, failed)
  const isDelivered = (await settleLicense(tx, order)) && order.closedAt === null
  if (!isDelivered && isNewlyPaid(before, order))
    await enqueue(tx, refundUndelivered, { orderUid: order.uid })
  if (order.settlesShare && hasMoved(before, order))
    await enqueue(tx, settleShare, { orderUid: order.uid }, { key: `share ${order.uid}` })
  await announceChange(deps, tx, before, order)
  return order
}

/** What came back from a bank after a refund is not new. A closed order is, also after a dispute about it was won. */
function isNewlyPaid(before: queries.OrderRow, { status, closedAt }: queries.OrderRow): boolean {
  if (status !== 'paid') return false
  return closedAt === null ? before.paidAt === null : before.status !== 'paid' && before.status !== 'refunded'
}

function hasMoved(before: queries.OrderRow, order: queries.OrderRow): boolean {
  const { settlesShare, disputedCents, refundedCents } = order
  return (
    before.settlesShare !== settlesShare ||
    before.disputedCents !== disputedCents ||
    before.refundedCents !== refundedCents
  )
}

/** Holds the lock already. A licence lasts while one of the orders of its holder and game is paid. Returns whether there is one. */
async function settleLicense(tx: Transaction, { userUid, gameUid }: queries.OrderRow): Promise<boolean> {
  if (userUid === null) return false
  const ground = await queries.findGround(tx, userUid, gameUid)
  if (!ground) {
    await endBoughtLicense(tx, userUid, gameUid)
    return false
  }
  const { uid: orderUid, gameName, editionUid, paidAt, createdAt } = ground
  const purchase = { userUid, gameUid, gameName, editionUid, orderUid, paidAt: paidAt ?? createdAt }
  return await giveBoughtLicense(tx, purchase)
}
