import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { requireConfirmed, secondFactorNeeded } from '../../../domain/confirmation.ts'
import type { RefundRole } from '../../../domain/listings/orders.ts'
import { lacksFactor } from '../../../domain/second-factor.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { lockHolding } from '../../community/library/holdings.ts'
import { readPlayMinutes } from '../../community/library/service.ts'
import { settingsOf } from '../../settings/reader.ts'
import type { RefundInput } from './model.ts'
import * as queries from './queries.ts'
import type { OrderRow, RefundRow } from './queries.ts'

const BUYER_DAYS = 14
const BUYER_MINUTES = 120

/** As whom the person asks; null for somebody who has nothing to do with the order. */
export async function chooseRole(
  deps: Deps,
  user: WebsiteUser,
  { order, ownerUid }: { order: OrderRow; ownerUid: string | null },
  { reason }: RefundInput,
): Promise<RefundRole | null> {
  const isBuyer = order.userUid === user.userUid
  const isOwner = ownerUid === user.userUid
  if (isBuyer && (reason === undefined || !(isOwner || user.isOperator))) return 'buyer'
  if (!isOwner && !user.isOperator) return null
  if (isOwner) requireConfirmed(user, deps.config.baseUrl)
  else await proveOperator(deps, user)
  if (reason === undefined) throw invalidField('reason', 'must say why the money is given back.')
  return isOwner ? 'owner' : 'operator'
}

/** As on the operators' own routes: a stolen password gives nobody's money away. */
async function proveOperator(deps: Deps, user: WebsiteUser): Promise<void> {
  const { second_factor } = await settingsOf(deps).read()
  if (lacksFactor(second_factor, user)) throw secondFactorNeeded(deps.config.baseUrl)
  requireConfirmed(user, deps.config.baseUrl)
}

/** Buyers get everything back, early and hardly played. */
export async function requireEarly(
  deps: Deps,
  order: OrderRow,
  { amount_cents }: RefundInput,
): Promise<void> {
  if (amount_cents !== undefined && amount_cents !== order.amountCents)
    throw invalidField('amount_cents', 'must be left out: buyers get the whole amount back.')
  const age = Date.now() - (order.paidAt?.getTime() ?? 0)
  if (age > BUYER_DAYS * DAY_MS) {
    throw refuse(`More than ${BUYER_DAYS} days have passed since you paid. Ask the developer for a refund.`)
  }
  const minutes = order.userUid === null ? 0 : await readPlayMinutes(deps.db, order.userUid, order.gameUid)
  if (minutes >= BUYER_MINUTES)
    throw refuse('You have played it for 2 hours or more. Ask the developer for a refund.')
}

/** Returning a game is free once. A lock of its own keeps two orders apart: what settles licences need not wait. */
export async function requireFirstReturn(
  tx: Transaction,
  { uid, userUid, gameUid }: OrderRow,
): Promise<void> {
  if (userUid === null) return
  await lockHolding(tx, userUid, `return of ${gameUid}`)
  if (await queries.hasReturned(tx, userUid, gameUid, uid))
    throw refuse('You have given this game back before. Ask the developer for a refund.')
}

/** What can still be given back; throws where nothing was paid or the bank decides. */
export function readRest(order: OrderRow, made: readonly RefundRow[]): number {
  if (order.status === 'open' || order.status === 'expired')
    throw refuse('This order was not paid, so there is nothing to give back.')
  if (order.status === 'disputed')
    throw refuse('The bank of the buyer decides about this payment. Wait for its answer.')
  const sum = (states: readonly RefundRow['state'][]) =>
    made.reduce((total, refund) => total + (states.includes(refund.state) ? refund.amountCents : 0), 0)
  // Stripe's count may lag behind what was just made here, and has what was made in its dashboard.
  const given = Math.max(order.refundedCents + sum(['pending']), sum(['pending', 'done']))
  return Math.max(0, order.amountCents - given)
}

export function refuse(message: string): AppError {
  return new AppError('refund_refused', { message })
}
