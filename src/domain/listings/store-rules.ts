/** Price limits. The store's share of a sale is a setting: see `readFeePercent`. */
export const STORE_RULES = {
  currency: 'USD',
  min_price_cents: 99,
  max_price_cents: 9999,
  payout_minimum_cents: 2500,
  free_allowed: true,
} as const

/** Free, or within the price limits. */
export function isAllowedPrice(cents: number): boolean {
  return cents === 0 || isPaidPrice(cents)
}

export function isPaidPrice(cents: number): boolean {
  const { min_price_cents: min, max_price_cents: max } = STORE_RULES
  return Number.isInteger(cents) && cents >= min && cents <= max
}
