import { STORE_RULES } from './store-rules.ts'

/** open: waits for the payment; expired: nobody paid in time; refunded: in full; disputed: at the buyer's bank. */
export const ORDER_STATUSES = ['open', 'paid', 'expired', 'refunded', 'disputed'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export const DISPUTE_STATES = ['open', 'won', 'lost'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

export const REFUND_STATES = ['pending', 'done', 'failed'] as const
export type RefundState = (typeof REFUND_STATES)[number]

/** Who gave the money back; `store`: the program, for what it could not deliver. */
export const REFUND_ROLES = ['buyer', 'owner', 'operator', 'store'] as const
export type RefundRole = (typeof REFUND_ROLES)[number]

/** A buyer may choose to pay up to this many times the price. */
const PAY_MORE_TIMES = 10

export interface Amounts {
  min: number
  max: number
}

/** What a buyer may pay; null where nothing is to be paid. */
export function amountsFor(priceCents: number, payMore: boolean): Amounts | null {
  if (priceCents > 0) return { min: priceCents, max: payMore ? priceCents * PAY_MORE_TIMES : priceCents }
  const { min_price_cents: min, max_price_cents: highest } = STORE_RULES
  return payMore ? { min, max: highest * PAY_MORE_TIMES } : null
}

/** The store's share, rounded half up to a cent. */
export function feeOf(amountCents: number, feePercent: number): number {
  // In hundredths of a percent, because 2.5 % is not exact in binary.
  return Math.floor((amountCents * Math.round(feePercent * 100) + 5000) / 10_000)
}
