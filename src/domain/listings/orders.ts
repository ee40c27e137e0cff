import { STORE_RULES } from './store-rules.ts'
import type { Visibility } from './visibility.ts'

/** open: waits for the payment; expired: nobody paid in time; refunded: in full; disputed: at the buyer's bank. */
export const ORDER_STATUSES = ['open', 'paid', 'expired', 'refunded', 'disputed'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export const DISPUTE_STATES = ['open', 'won', 'lost'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

export const REFUND_STATES = ['pending', 'done', 'failed'] as const

/** Who made a refund; `store`: the program itself, for what it could not deliver. */
export const REFUND_ROLES = ['buyer', 'owner', 'operator', 'store'] as const
export type RefundRole = (typeof REFUND_ROLES)[number]

/** A buyer may choose to pay up to this many times the price. */
const PAY_MORE_TIMES = 10

interface Amounts {
  min: number
  max: number
}

/** What a buyer may pay; null where nothing is to be paid. */
export function amountsFor(priceCents: number, payMore: boolean): Amounts | null {
  if (priceCents > 0) return { min: priceCents, max: payMore ? priceCents * PAY_MORE_TIMES : priceCents }
  const { min_price_cents: min, max_price_cents: highest } = STORE_RULES
  return payMore ? { min, max: highest * PAY_MORE_TIMES } : null
}

/** Why a listing cannot be bought, whatever it costs. */
export type SaleFault = 'hidden' | 'no_account' | 'account_incomplete'

/** Why this person cannot buy it. */
export type PurchaseFault =
  | SaleFault
  | 'on_team'
  | 'adult'
  | 'edition_missing'
  | 'edition_inactive'
  | 'owned'
  | 'free'
  | 'amount_missing'
  | 'amount'

interface SaleFacts {
  visibility: Visibility
  /** The Stripe account of an owner who is not suspended. */
  account: { goneAt: Date | null; chargesEnabled: boolean } | undefined
}

export interface PurchaseFacts extends SaleFacts {
  game: { adult: boolean; priceCents: number; payMore: boolean }
  /** Null for the listing itself; undefined for an edition that it does not have. */
  edition: { active: boolean; priceCents: number } | null | undefined
  isOnTeam: boolean
  allowsAdult: boolean
  isOwned: boolean
  amountCents: number | undefined
}

/** Null where the listing can be sold. */
export function findSaleFault({ visibility, account }: SaleFacts): SaleFault | null {
  if (visibility !== 'public') return 'hidden'
  if (!account || account.goneAt) return 'no_account'
  return account.chargesEnabled ? null : 'account_incomplete'
}

/** The first reason that applies; null where this person can buy it. */
export function findPurchaseFault(facts: PurchaseFacts): PurchaseFault | null {
  const { game, edition, amountCents } = facts
  if (facts.isOnTeam) return 'on_team'
  if (game.adult && !facts.allowsAdult) return 'adult'
  const fault = findSaleFault(facts)
  if (fault) return fault
  if (edition === undefined) return 'edition_missing'
  if (edition?.active === false) return 'edition_inactive'
  if (facts.isOwned) return 'owned'
  const price = edition?.priceCents ?? game.priceCents
  const amounts = amountsFor(price, game.payMore)
  if (!amounts) return 'free'
  if (price === 0 && amountCents === undefined) return 'amount_missing'
  const amount = amountCents ?? amounts.min
  return amount >= amounts.min && amount <= amounts.max ? null : 'amount'
}

/** The listing, with the edition that was bought. */
export function titleOfOrder(order: { gameName: string; editionName: string | null }): string {
  return order.editionName === null ? order.gameName : `${order.gameName} (${order.editionName})`
}

/** The store's share, rounded half up to a cent. */
export function feeOf(amountCents: number, feePercent: number): number {
  // In hundredths of a percent, because 2.5 % is not exact in binary.
  return Math.floor((amountCents * Math.round(feePercent * 100) + 5000) / 10_000)
}
