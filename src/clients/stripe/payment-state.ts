import type { Stripe } from 'stripe'

import type { DisputeState } from '../../domain/listings/orders.ts'
import type { PaymentState } from './payments.ts'

/** What Stripe puts into the answer instead of its id. */
export const EXPANDED = ['payment_intent.latest_charge.application_fee'] as const

/** `listDisputes` is only called for a charge that has some. */
export async function toPaymentState(
  session: Stripe.Checkout.Session,
  listDisputes: (paymentId: string) => Promise<Stripe.Dispute[]>,
): Promise<PaymentState> {
  const state = { sessionId: session.id, session: readStatus(session.status), payment: null }
  const intent = expanded(session.payment_intent)
  const charge = intent && expanded(intent.latest_charge)
  if (session.payment_status !== 'paid' || !intent || !charge?.paid) return state
  const disputes = charge.disputed ? await listDisputes(intent.id) : []
  const card = charge.payment_method_details?.card?.country ?? null
  return {
    ...state,
    payment: {
      id: intent.id,
      paidAt: new Date(charge.created * 1000),
      receiptUrl: charge.receipt_url,
      country: session.customer_details?.address?.country ?? card,
      refundedCents: charge.amount_refunded,
      feeRefundedCents: expanded(charge.application_fee)?.amount_refunded ?? 0,
      dispute: readDispute(disputes.map(({ status }) => status)),
      disputedCents: disputes.reduce((sum, { status, amount }) => sum + (WON.has(status) ? 0 : amount), 0),
    },
  }
}

function readStatus(status: Stripe.Checkout.Session['status']): PaymentState['session'] {
  if (status === 'complete') return 'complete'
  return status === 'expired' ? 'expired' : 'open'
}

const WON = new Set<Stripe.Dispute.Status>(['won', 'warning_closed', 'prevented'])

/** The worst of them counts. */
function readDispute(statuses: readonly Stripe.Dispute.Status[]): DisputeState | null {
  if (statuses.length === 0) return null
  if (statuses.includes('lost')) return 'lost'
  return statuses.every((status) => WON.has(status)) ? 'won' : 'open'
}

export function expanded<Thing extends object>(value: string | Thing | null | undefined): Thing | null {
  return typeof value === 'object' ? value : null
}
