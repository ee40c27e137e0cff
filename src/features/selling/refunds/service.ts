import { PaymentsFailure } from '../../../clients/stripe/payments.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { RefundRole } from '../../../domain/listings/orders.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import type { Order } from '../orders/model.ts'
import { readOrder } from '../orders/service.ts'
import { syncOrder } from '../orders/sync.ts'
import { requirePayments } from '../payouts/service.ts'
import { makeRefund } from './jobs.ts'
import type { RefundInput } from './model.ts'
import * as queries from './queries.ts'
import { chooseRole, readRest, refuse, requireEarly, requireFirstReturn } from './rules.ts'

/** The request makes the refund itself; the job only if that died on the way. */
const JOB_DELAY_MS = 20_000
const UNDELIVERED = 'The sale was closed before the payment arrived.'

/** Writes down what an operator did, in the same transaction. */
export type RecordRefund = (
  tx: Transaction,
  operator: WebsiteUser,
  refund: { orderUid: string; gameName: string; reason: string },
) => Promise<void>

interface Wish extends RefundInput {
  role: RefundRole
  userUid: string | null
}

/**
 * The promise is written before Stripe is asked, and kept by a job if this process dies. The same wish of the same
 * person is one refund, however often it is sent.
 */
export async function refundOrder(
  deps: Deps,
  user: WebsiteUser,
  uid: string,
  input: RefundInput,
  record: RecordRefund,
): Promise<Order> {
  requirePayments(deps)
  const found = isUid(uid) ? await queries.findOrder(deps.db, uid) : undefined
  const role = found && found.order.sessionId !== null ? await chooseRole(deps, user, found, input) : null
  if (!found || role === null) throw new AppError('not_found')
  if (role === 'buyer' && found.order.status === 'paid') await requireEarly(deps, found.order, input)
  const wish = { ...input, role, userUid: user.userUid }
  const refundUid = await deps.db.transaction(async (tx) => {
    if (role === 'buyer') await requireFirstReturn(tx, found.order)
    const made = await promise(tx, uid, wish)
    const { gameName } = found.order
    if (made !== null && role === 'operator')
      await record(tx, user, { orderUid: uid, gameName, reason: input.reason ?? '' })
    return made
  })
  if (refundUid !== null) await makeNow(deps, refundUid)
  return await readOrder(deps, uid)
}

/** What was paid and cannot be delivered goes back by itself. */
export async function refundWhole(deps: Deps, orderUid: string): Promise<void> {
  const wish = { role: 'store', userUid: null, reason: UNDELIVERED } as const
  const refundUid = await deps.db.transaction(async (tx) => {
    // Given back by somebody else meanwhile, or at a bank that decides: nothing is left to do.
    const order = await queries.lockOrder(tx, orderUid)
    const isLeft = order?.status === 'paid' && readRest(order, await queries.listRefunds(tx, orderUid)) > 0
    return isLeft ? await promise(tx, orderUid, wish) : null
  })
  if (refundUid !== null) await keepPromise(deps, refundUid)
}

/** Asks Stripe, as often as it takes; it makes the same refund once. Throws what Stripe answers. */
export async function keepPromise(deps: Deps, refundUid: string): Promise<void> {
  const found = await queries.findRefund(deps.db, refundUid)
  if (!found) return
  const { refund, order } = found
  if (refund.state === 'pending' && order.paymentId !== null) {
    const { uid: orderUid, paymentId } = order
    try {
      const { amountCents } = refund
      const [hasFee, isAlone] = [order.feeCents > 0, order.settlesShare]
      await requirePayments(deps).refund({ refundUid, orderUid, paymentId, amountCents, hasFee, isAlone })
    } catch (error) {
      if (error instanceof PaymentsFailure && error.kind === 'refused')
        await queries.closeRefund(deps.db, refundUid, { state: 'failed', fault: error.message })
      throw error
    }
    await queries.closeRefund(deps.db, refundUid, { state: 'done' })
  }
  await syncOrder(deps, order.uid)
}

/** Null for a wish that was granted before. */
async function promise(tx: Transaction, orderUid: string, wish: Wish): Promise<string | null> {
  const order = await queries.lockOrder(tx, orderUid)
  if (!order) throw new AppError('not_found')
  const made = await queries.listRefunds(tx, orderUid)
  const { amount_cents: amount, role, userUid } = wish
  const reason = wish.reason?.trim() ?? ''
  const alike = made.filter(
    (refund) =>
      refund.state !== 'failed' &&
      refund.role === role &&
      refund.userUid === userUid &&
      refund.reason === reason,
  )
  if (amount !== undefined && alike.some(({ amountCents }) => amountCents === amount)) return null
  const rest = readRest(order, made)
  if (rest === 0) {
    if (amount === undefined && alike.length > 0) return null
    throw refuse('This order was refunded already.')
  }
  if (amount !== undefined && amount > rest)
    throw invalidField('amount_cents', `must be at most ${rest}, what is left of the order.`)
  const uid = createUid()
  await queries.insertRefund(tx, { uid, orderUid, amountCents: amount ?? rest, reason, role, userUid })
  await enqueue(tx, makeRefund, { refundUid: uid }, { runAt: new Date(Date.now() + JOB_DELAY_MS) })
  return uid
}

/** An unreachable Stripe is asked again by the job; a refusal is told. */
async function makeNow(deps: Deps, refundUid: string): Promise<void> {
  try {
    await keepPromise(deps, refundUid)
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
