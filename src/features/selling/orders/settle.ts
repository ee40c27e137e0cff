import { isDeepStrictEqual } from 'node:util'

import type { FailedRefund, OrderSubject, Payments, PaymentState } from '../../../clients/stripe/payments.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type OrderStatus, titleOfOrder } from '../../../domain/listings/orders.ts'
import { orderUrl, salesUrl } from '../../../domain/site-urls.ts'
import { enqueue, enqueueAll } from '../../../jobs/queue.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { formatDollars } from '../../../lib/text/show.ts'
import { listOperatorAddresses } from '../../accounts/operators.ts'
import { findRecipient } from '../../accounts/service.ts'
import { endBoughtLicense, giveBoughtLicense, lockHolding } from '../../community/library/service.ts'
import { recordNotice } from '../../games/notice-events.ts'
import { sendMail } from '../../mail/jobs.ts'
import { requirePayments } from '../payouts/service.ts'
import { refundUndelivered, sendRefundMail, settleOrders, settleSellerShare } from './jobs.ts'
import { disputeMail, paidMail, refundedMail, returnedMail } from './mails.ts'
import * as queries from './queries.ts'
import type { OrderChange, OrderRow } from './queries.ts'

const ATTEMPTS = 5
/** Orders per job: batches save the overhead of a job, and several jobs still run in parallel. */
const JOB_BATCH = 10
const POLL_EVERY_MS = 60_000
const POLL_BATCH = 200
/** Longer than any call to Stripe takes: a younger order may still be getting its session. */
const UNSTARTED_MS = 10 * 60_000
/** Partial refunds within this time share a mail. */
const REFUNDS_APART_MS = 60_000
/** One write at a time per process, so that thousands of events leave database connections for page views. */
const writing = createSemaphore(1)

/**
 * Writes Stripe's state of the order. If another call wrote meanwhile, Stripe is asked again, so an older
 * state never replaces a newer one, whatever the order of events and responses.
 */
export async function syncOrder(
  deps: Deps,
  orderUid: string,
  knownSession?: string,
): Promise<OrderRow | null> {
  const payments = requirePayments(deps)
  return await settle(deps, payments, orderUid, async (order) => {
    const sessionId = order.sessionId ?? knownSession
    return sessionId === undefined ? null : await payments.readPayment(sessionId)
  })
}

/** Expires the session at Stripe first, so that nobody can pay for an order that is shown as expired. */
export async function expireOrder(deps: Deps, orderUid: string): Promise<OrderRow | null> {
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
  ask: (order: OrderRow) => Promise<PaymentState | null>,
): Promise<OrderRow | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const order = await queries.findOrder(deps.db, orderUid)
    const state = order ? await ask(order) : null
    if (!order || !state) return order ?? null
    const failed = await listFailed(deps.db, payments, order, state)
    const change = computeChange(order, state, failed.length > 0)
    if (!change && failed.length === 0) return order
    using turn = new DisposableStack()
    turn.use(await writing.acquire())
    const written = await deps.db.transaction((tx) => write(deps, tx, order, change ?? {}, failed))
    if (written) return written
  }
  throw new Error('The order is being changed by others; asking again')
}

/** Refunds can come back: if Stripe's total is lower than ours, lists those that failed. */
async function listFailed(
  db: Db,
  payments: Payments,
  { uid: orderUid }: OrderRow,
  { payment }: PaymentState,
): Promise<FailedRefund[]> {
  if (payment === null) return []
  const made = await queries.listMadeRefunds(db, orderUid)
  const refunded = [...made.values()].reduce((sum, cents) => sum + cents, 0)
  if (payment.refundedCents >= refunded) return []
  return (await payments.listFailedRefunds(payment.id)).filter(({ refundUid }) => made.has(refundUid))
}

/** The order as Stripe describes it now; null if nothing is different. `hasFailed`: a refund came back. */
function computeChange(order: OrderRow, state: PaymentState, hasFailed: boolean): OrderChange | null {
  const { payment, session, sessionId } = state
  if (payment === null && order.paidAt !== null) return null
  const change: OrderChange =
    payment === null
      ? { status: order.closedAt !== null || session === 'expired' ? 'expired' : 'open', sessionId }
      : { ...computePayment(order, payment, hasFailed), sessionId }
  const before = Object.fromEntries(Object.keys(change).map((name) => [name, order[name as keyof OrderRow]]))
  return isDeepStrictEqual(before, change) ? null : change
}

function computePayment(
  order: OrderRow,
  { id: paymentId, ...payment }: NonNullable<PaymentState['payment']>,
  hasFailed: boolean,
): OrderChange {
  const { amountCents, feeCents } = order
  const { refundedCents, dispute, feeRefundedCents } = payment
  const disputedCents = Math.min(payment.disputedCents, amountCents - refundedCents)
  const settlesShare = order.settlesShare || hasFailed || dispute !== null
  // Then Stripe's refunded fee is not what the store gives up: compute it in proportion to the amount.
  const feeBack = Math.round((feeCents * (refundedCents + disputedCents)) / amountCents)
  return {
    ...payment,
    paymentId,
    status: statusOf(order, refundedCents, dispute),
    feeRefundedCents: settlesShare ? feeBack : feeRefundedCents,
    settlesShare,
    disputedCents,
  }
}

function statusOf(
  { amountCents }: OrderRow,
  refundedCents: number,
  dispute: OrderRow['dispute'],
): OrderStatus {
  if (refundedCents >= amountCents) return 'refunded'
  return dispute === 'open' || dispute === 'lost' ? 'disputed' : 'paid'
}

/** Writes the order, its licence and its mails. Returns null if the order has changed since it was read. */
async function write(
  deps: Deps,
  tx: Transaction,
  before: OrderRow,
  change: OrderChange,
  failed: readonly FailedRefund[],
): Promise<OrderRow | null> {
  // Locked before the row, as in checkouts, so that no order is placed while another one is being paid.
  if (before.userUid !== null) await lockHolding(tx, before.userUid, before.gameUid)
  const order = await queries.updateOrder(tx, before, change)
  if (!order) return null
  const { uid: orderUid } = order
  await queries.failRefunds(tx, orderUid, failed)
  const isDelivered = (await settleLicense(tx, order)) && order.closedAt === null
  if (!isDelivered && isNewlyPaid(before, order)) await enqueue(tx, refundUndelivered, { orderUid })
  if (order.settlesShare && hasShareChanged(before, order))
    await enqueue(tx, settleSellerShare, { orderUid }, { key: `share ${orderUid}` })
  await mailChange(deps, tx, before, order)
  await mailRefund(tx, before, order)
  return order
}

/** The buyer is told of each refund; a listing that was deleted since is only named. */
async function mailRefund(tx: Transaction, before: OrderRow, order: OrderRow): Promise<void> {
  const { uid, userUid, gameUid, refundedCents, amountCents } = order
  const cents = refundedCents - before.refundedCents
  if (userUid === null || cents <= 0) return
  const hasListing = await queries.hasListing(tx, gameUid)
  await recordNotice(tx, {
    kind: 'refund',
    ...(hasListing && { gameUid }),
    userUid,
    facts: {
      title: `Refund: ${titleOfOrder(order)}`,
      text: `${formatDollars(cents)} of ${formatDollars(amountCents)} are on their way back to you.`,
      path: orderUrl('', uid),
    },
    onceKey: `refund ${uid} ${refundedCents}`,
  })
}

/** A refund that came back is no new payment. On a closed order a won dispute is, so it gets refunded. */
function isNewlyPaid(before: OrderRow, { status, closedAt }: OrderRow): boolean {
  if (status !== 'paid') return false
  return closedAt === null ? before.paidAt === null : before.status !== 'paid' && before.status !== 'refunded'
}

function hasShareChanged(before: OrderRow, order: OrderRow): boolean {
  return (['settlesShare', 'disputedCents', 'refundedCents'] as const).some(
    (name) => before[name] !== order[name],
  )
}

/** Needs the holding lock. Gives the licence if an order is paid, otherwise ends it and returns false. */
async function settleLicense(tx: Transaction, { userUid, gameUid }: OrderRow): Promise<boolean> {
  if (userUid === null) return false
  const paying = await queries.findPayingOrder(tx, userUid, gameUid)
  if (!paying) {
    await endBoughtLicense(tx, userUid, gameUid)
    return false
  }
  const { uid: orderUid, gameName, editionUid, paidAt, createdAt } = paying
  const purchase = { userUid, gameUid, gameName, editionUid, orderUid, paidAt: paidAt ?? createdAt }
  return await giveBoughtLicense(tx, purchase)
}

/** Only for orders with a dispute or a failed refund; otherwise Stripe moves the share with each payment. */
export async function transferSellerShare(deps: Deps, orderUid: string): Promise<void> {
  const order = await queries.findOrder(deps.db, orderUid)
  if (!order || order.paymentId === null || !order.settlesShare) return
  const { paymentId, accountId, amountCents, refundedCents, disputedCents, feeCents, feeRefundedCents } =
    order
  const cents = amountCents - refundedCents - disputedCents - (feeCents - feeRefundedCents)
  await requirePayments(deps).setSellerShare({ orderUid, paymentId, accountId, cents })
}

/** Merges duplicates, because each job asks Stripe for the newest state anyway. */
export async function enqueueSettling(tx: Db, subjects: readonly OrderSubject[]): Promise<void> {
  const distinct = [...new Map(subjects.map((subject) => [keyOf(subject), subject])).values()]
  for (let start = 0; start < distinct.length; start += JOB_BATCH)
    await enqueue(tx, settleOrders, { subjects: distinct.slice(start, start + JOB_BATCH) })
}

/** An order that fails among several gets a job of its own, which retries later. */
export async function settleAll(
  deps: Deps,
  subjects: readonly OrderSubject[],
  signal: AbortSignal,
): Promise<void> {
  const [only] = subjects
  if (only && subjects.length === 1) return await settleOne(deps, only)
  for (const subject of subjects) {
    signal.throwIfAborted()
    await settleOne(deps, subject).catch(async (error: unknown) => {
      deps.log.warn('An order could not be settled and is asked about again', { subject, error })
      const payload = { subjects: [subject] }
      await enqueueAll(deps.db, settleOrders, [{ key: keyOf(subject), payload }])
    })
  }
}

async function settleOne(deps: Deps, subject: OrderSubject): Promise<void> {
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

/** Asks Stripe about open orders, and deletes those that never got a session. */
export async function pollOpenOrders(deps: Deps, signal: AbortSignal): Promise<void> {
  if (!deps.payments) return
  const now = Date.now()
  await queries.deleteUnstartedBefore(deps.db, new Date(now - UNSTARTED_MS))
  const before = new Date(now - POLL_EVERY_MS)
  for (const uid of await queries.listOpenOrders(deps.db, before, POLL_BATCH)) {
    signal.throwIfAborted()
    // An order that cannot be read must not delay the others.
    if (await queries.markChecked(deps.db, uid, before))
      await syncOrder(deps, uid).catch((error: unknown) => {
        deps.log.warn('Stripe could not be asked about an order', { order: uid, error })
      })
  }
}

/** Enqueues the mails in the transaction of the change. */
async function mailChange(deps: Deps, tx: Transaction, before: OrderRow, order: OrderRow): Promise<void> {
  const { uid: orderUid, refundedCents, dispute } = order
  const { baseUrl } = deps.config
  const url = orderUrl(baseUrl, orderUid)
  const buyer = order.userUid === null ? undefined : await findRecipient(tx, order.userUid)
  if (buyer && before.paidAt === null && order.paidAt !== null && order.closedAt === null)
    await enqueue(tx, sendMail, paidMail(buyer, order, url))
  const refunded = refundedCents - before.refundedCents
  if (refunded > 0) {
    const runAt = new Date(Date.now() + (order.status === 'refunded' ? 0 : REFUNDS_APART_MS))
    await enqueue(tx, sendRefundMail, { orderUid }, { key: `refunds ${orderUid}`, runAt })
  }
  const isReturned = refunded < 0
  const isDisputed = dispute !== null && dispute !== before.dispute
  if (isReturned) {
    await queries.markRefundsMailed(tx, orderUid)
    if (buyer) await enqueue(tx, sendMail, returnedMail(buyer, order, -refunded, url))
  }
  if (isDisputed) {
    const seller = order.sellerUid === null ? undefined : await findRecipient(tx, order.sellerUid)
    if (seller) await enqueue(tx, sendMail, disputeMail(seller, order, dispute, salesUrl(baseUrl, 'studio')))
  }
  if (!isReturned && !isDisputed) return
  const salesPage = salesUrl(baseUrl, 'operate', orderUid)
  for (const email of await listOperatorAddresses(deps.config, tx)) {
    if (isReturned) await enqueue(tx, sendMail, returnedMail({ email }, order, -refunded, salesPage))
    if (isDisputed) await enqueue(tx, sendMail, disputeMail({ email }, order, dispute, salesPage))
  }
}

/** Mails the buyer the sum of all refunds since the last such mail. */
export async function mailRefunds({ db, config }: Deps, orderUid: string): Promise<void> {
  await db.transaction(async (tx) => {
    const order = await queries.lockOrder(tx, orderUid)
    const cents = order ? order.refundedCents - order.toldCents : 0
    const buyer = order?.userUid ? await findRecipient(tx, order.userUid) : undefined
    if (!order || !buyer || cents <= 0) return
    await queries.markRefundsMailed(tx, orderUid)
    await enqueue(tx, sendMail, refundedMail(buyer, order, cents, orderUrl(config.baseUrl, orderUid)))
  })
}
