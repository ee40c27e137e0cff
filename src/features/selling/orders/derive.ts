import type { PaymentState } from '../../../clients/stripe/payments.ts'
import type { OrderStatus } from '../../../domain/listings/orders.ts'
import type { OrderChange, OrderRow } from './queries.ts'

/** The order as Stripe describes it now; null if nothing is different. `hasFailed`: a refund came back. */
export function deriveChange(order: OrderRow, state: PaymentState, hasFailed: boolean): OrderChange | null {
  const { payment } = state
  if (payment === null && order.paidAt !== null) return null
  const settlesShare = order.settlesShare || hasFailed || (payment?.dispute ?? null) !== null
  const disputedCents = payment
    ? Math.min(payment.disputedCents, order.amountCents - payment.refundedCents)
    : 0
  const next: OrderChange = payment
    ? {
        status: statusOf(order, payment),
        sessionId: state.sessionId,
        paymentId: payment.id,
        paidAt: payment.paidAt,
        receiptUrl: payment.receiptUrl,
        country: payment.country,
        refundedCents: payment.refundedCents,
        feeRefundedCents: settlesShare
          ? feeBackOf(order, payment.refundedCents + disputedCents)
          : payment.feeRefundedCents,
        settlesShare,
        dispute: payment.dispute,
        disputedCents,
      }
    : { status: isEnded(order, state) ? 'expired' : 'open', sessionId: state.sessionId }
  const isSame = Object.entries(next).every(([name, value]) => isEqual(order[name as keyof OrderRow], value))
  return isSame ? null : next
}

/** What the developer shall have of the order. */
export function shareOf(order: OrderRow): number {
  const { amountCents, refundedCents, disputedCents, feeCents, feeRefundedCents } = order
  return amountCents - refundedCents - disputedCents - (feeCents - feeRefundedCents)
}

/** Stripe's own count of the fee no longer tells what the store keeps: its part of the rest. */
function feeBackOf({ feeCents, amountCents }: OrderRow, backCents: number): number {
  return Math.round((feeCents * backCents) / amountCents)
}

function isEnded({ closedAt }: OrderRow, { session }: PaymentState): boolean {
  return closedAt !== null || session === 'expired'
}

function statusOf(
  { amountCents }: OrderRow,
  { refundedCents, dispute }: NonNullable<PaymentState['payment']>,
): OrderStatus {
  if (refundedCents >= amountCents) return 'refunded'
  return dispute === 'open' || dispute === 'lost' ? 'disputed' : 'paid'
}

function isEqual(before: unknown, after: unknown): boolean {
  return before instanceof Date && after instanceof Date
    ? before.getTime() === after.getTime()
    : before === after
}
