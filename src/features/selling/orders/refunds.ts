import { PaymentsFailure } from '../../../clients/stripe/payments.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { lacksFactor, requireConfirmed, secondFactorNeeded } from '../../../domain/confirmation.ts'
import type { RefundRole } from '../../../domain/listings/orders.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { recordAct } from '../../audit/service.ts'
import { loadPlayMinutes, lockHolding } from '../../community/library/service.ts'
import { settingsOf } from '../../settings/reader.ts'
import { requirePayments } from '../payouts/service.ts'
import { makeRefund } from './jobs.ts'
import type { Order, RefundInput } from './model.ts'
import * as queries from './queries.ts'
import type { OrderRow, RefundRow } from './queries.ts'
import { loadOrder } from './service.ts'
import { syncOrder } from './settle.ts'

const BUYER_DAYS = 14
const BUYER_MINUTES = 120
/** The request makes the refund itself; the job only if the process died before that. */
const JOB_DELAY_MS = 20_000
const UNDELIVERED = 'The sale was closed before the payment arrived.'

interface RefundRequest extends RefundInput {
  role: RefundRole
  userUid: string | null
}

/**
 * The refund is stored before Stripe is asked, so that a job can execute it if this process dies. A repeated
 * request of the same person creates no second refund.
 */
export async function refundOrder(
  deps: Deps,
  user: WebsiteUser,
  uid: string,
  input: RefundInput,
): Promise<Order> {
  requirePayments(deps)
  const found = isUid(uid) ? await queries.findOrderWithOwner(deps.db, uid) : undefined
  const role = found && found.order.sessionId !== null ? await chooseRole(deps, user, found, input) : null
  if (!found || role === null) throw new AppError('not_found')
  const { order } = found
  if (role === 'buyer' && order.status === 'paid') await checkBuyerRefund(deps, order, input)
  const refundUid = await deps.db.transaction(async (tx) => {
    if (role === 'buyer') await checkFirstRefund(tx, order)
    const created = await createPendingRefund(tx, uid, { ...input, role, userUid: user.userUid })
    if (created !== null && role === 'operator') {
      const facts = { act: 'refund_order', subject: 'order', id: uid, name: order.gameName } as const
      await recordAct(tx, user, { ...facts, reason: input.reason })
    }
    return created
  })
  if (refundUid !== null) await executeNow(deps, refundUid)
  return await loadOrder(deps, uid)
}

/** The role in which the person asks; null for somebody who is neither buyer, owner nor operator. */
async function chooseRole(
  deps: Deps,
  user: WebsiteUser,
  { order, ownerUid }: { order: OrderRow; ownerUid: string | null },
  { reason }: RefundInput,
): Promise<RefundRole | null> {
  const isBuyer = order.userUid === user.userUid
  const isOwner = ownerUid === user.userUid
  if (isBuyer && (reason === undefined || !(isOwner || user.isOperator))) return 'buyer'
  if (!isOwner && !user.isOperator) return null
  // As on the operators' own routes: a stolen password alone must not allow refunds.
  if (!isOwner && lacksFactor((await settingsOf(deps).read()).second_factor, user))
    throw secondFactorNeeded(deps.config.baseUrl)
  requireConfirmed(user, deps.config.baseUrl)
  if (reason === undefined) throw invalidField('reason', 'must say why the money is given back.')
  return isOwner ? 'owner' : 'operator'
}

/** Buyers can only refund the whole amount, soon after the payment and with little play time. */
async function checkBuyerRefund(
  { db }: Deps,
  { amountCents, paidAt, userUid, gameUid }: OrderRow,
  { amount_cents }: RefundInput,
): Promise<void> {
  if (amount_cents !== undefined && amount_cents !== amountCents)
    throw invalidField('amount_cents', 'must be left out: buyers get the whole amount back.')
  if (Date.now() - (paidAt?.getTime() ?? 0) > BUYER_DAYS * DAY_MS)
    throw refuse(`More than ${BUYER_DAYS} days have passed since you paid. Ask the developer for a refund.`)
  if (userUid !== null && (await loadPlayMinutes(db, userUid, gameUid)) >= BUYER_MINUTES)
    throw refuse('You have played it for 2 hours or more. Ask the developer for a refund.')
}

/** Each buyer can refund a game once. Uses a separate lock, so settling licences does not wait for it. */
async function checkFirstRefund(tx: Transaction, { uid, userUid, gameUid }: OrderRow): Promise<void> {
  if (userUid === null) return
  await lockHolding(tx, userUid, `return of ${gameUid}`)
  if (await queries.hasRefundedBefore(tx, userUid, gameUid, uid))
    throw refuse('You have given this game back before. Ask the developer for a refund.')
}

/** Returns the refund's uid; null if the same request was already accepted. */
async function createPendingRefund(
  tx: Transaction,
  orderUid: string,
  request: RefundRequest,
): Promise<string | null> {
  const order = await queries.lockOrder(tx, orderUid)
  if (!order) throw new AppError('not_found')
  const earlier = await queries.listRefunds(tx, orderUid)
  const { amount_cents: amount, role, userUid } = request
  const reason = request.reason?.trim() ?? ''
  const same = earlier.filter(
    (refund) =>
      refund.state !== 'failed' &&
      refund.role === role &&
      refund.userUid === userUid &&
      refund.reason === reason,
  )
  if (amount !== undefined && same.some(({ amountCents }) => amountCents === amount)) return null
  const rest = computeRefundable(order, earlier)
  if (rest === 0) {
    if (amount === undefined && same.length > 0) return null
    throw refuse('This order was refunded already.')
  }
  if (amount !== undefined && amount > rest)
    throw invalidField('amount_cents', `must be at most ${rest}, what is left of the order.`)
  const uid = createUid()
  await queries.insertRefund(tx, { uid, orderUid, amountCents: amount ?? rest, reason, role, userUid })
  await enqueue(tx, makeRefund, { refundUid: uid }, { runAt: new Date(Date.now() + JOB_DELAY_MS) })
  return uid
}

/** The cents that can still be refunded; throws if nothing was paid or a dispute is open or lost. */
function computeRefundable(order: OrderRow, earlier: readonly RefundRow[]): number {
  if (order.status === 'open' || order.status === 'expired')
    throw refuse('This order was not paid, so there is nothing to give back.')
  if (order.status === 'disputed')
    throw refuse('The bank of the buyer decides about this payment. Wait for its answer.')
  const sum = (states: readonly RefundRow['state'][]) =>
    earlier.reduce((total, { state, amountCents }) => total + (states.includes(state) ? amountCents : 0), 0)
  // Stripe's total may not have the latest refunds yet, but has those made in its dashboard: take the higher.
  const refunded = Math.max(order.refundedCents + sum(['pending']), sum(['pending', 'done']))
  return Math.max(0, order.amountCents - refunded)
}

/** Refunds an order that was paid but cannot be delivered. */
export async function refundUndeliveredOrder(deps: Deps, orderUid: string): Promise<void> {
  const refundUid = await deps.db.transaction(async (tx) => {
    // Nothing is left to do if it was refunded meanwhile, or is disputed.
    const order = await queries.lockOrder(tx, orderUid)
    const isLeft =
      order?.status === 'paid' && computeRefundable(order, await queries.listRefunds(tx, orderUid)) > 0
    const request = { role: 'store', userUid: null, reason: UNDELIVERED } as const
    return isLeft ? await createPendingRefund(tx, orderUid, request) : null
  })
  if (refundUid !== null) await executeRefund(deps, refundUid)
}

/** May be repeated: Stripe executes the same refund once. Throws Stripe's errors. */
export async function executeRefund(deps: Deps, refundUid: string): Promise<void> {
  const found = await queries.findRefund(deps.db, refundUid)
  if (!found) return
  const { refund, order } = found
  const { uid: orderUid, paymentId } = order
  if (refund.state === 'pending' && paymentId !== null) {
    const { amountCents } = refund
    const [hasFee, keepsTransfer] = [order.feeCents > 0, order.settlesShare]
    const payments = requirePayments(deps)
    try {
      await payments.refund({ refundUid, orderUid, paymentId, amountCents, hasFee, keepsTransfer })
    } catch (error) {
      if (error instanceof PaymentsFailure && error.kind === 'refused')
        await queries.closeRefund(deps.db, refundUid, { state: 'failed', fault: error.message })
      throw error
    }
    await queries.closeRefund(deps.db, refundUid, { state: 'done' })
  }
  await syncOrder(deps, orderUid)
}

/** If Stripe is unreachable the job retries later; if it refuses, the caller gets an error. */
async function executeNow(deps: Deps, refundUid: string): Promise<void> {
  try {
    await executeRefund(deps, refundUid)
  } catch (error) {
    if (!(error instanceof PaymentsFailure)) throw error
    deps.log.warn('A refund could not be made', { refund: refundUid, error })
    if (error.kind === 'unknown') return
    throw new AppError('payments_failed', {
      message: `Stripe refused the refund, so nothing was given back. ${error.message}`,
      cause: error,
    })
  }
}

function refuse(message: string): AppError {
  return new AppError('refund_refused', { message })
}
