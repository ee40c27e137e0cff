import type { Stripe } from 'stripe'

import { expanded } from './payment-state.ts'
import type { Share } from './payments.ts'

const EXPANDED = ['latest_charge.transfer', 'latest_charge.application_fee']
const LISTED_MAX = 100
/** Stripe answers a key the same for a day, also with a refusal; after this time the next attempt may go through. */
const SAME_MS = 60 * 60_000

/**
 * Compares what the developer has of a payment with what they shall have, and moves the difference. The key says what
 * was found, so that the same step is made once, however often it is begun.
 */
export async function setShare(
  { paymentIntents, transfers }: Stripe,
  { orderUid, paymentId, accountId, cents }: Share,
): Promise<void> {
  const group = `order_${orderUid}`
  const intent = await paymentIntents.retrieve(paymentId, { expand: EXPANDED })
  const charge = expanded(intent.latest_charge)
  const first = expanded(charge?.transfer)
  if (!charge || !first) return
  const later = (await transfers.list({ transfer_group: group, limit: LISTED_MAX })).data
  const fee = expanded(charge.application_fee)
  const all = [...later, first]
  const held = sum(all.map(leftOf)) - (fee ? fee.amount - fee.amount_refunded : 0)
  const found = [...all.map(({ amount_reversed }) => amount_reversed), fee?.amount_refunded ?? 0]
  const key = `share ${orderUid} ${found.join('-')} ${Math.floor(Date.now() / SAME_MS)}`
  const metadata = { order_uid: orderUid }
  if (cents > held) {
    const [amount, { currency }] = [cents - held, charge]
    const params = { amount, currency, destination: accountId, transfer_group: group, metadata }
    await transfers.create(params, { idempotencyKey: key })
  }
  let excess = held - cents
  for (const transfer of all) {
    const amount = Math.min(excess, leftOf(transfer))
    if (amount <= 0) continue
    await transfers.createReversal(
      transfer.id,
      { amount, metadata },
      { idempotencyKey: `${key} ${transfer.id}` },
    )
    excess -= amount
  }
}

function leftOf({ amount, amount_reversed }: Stripe.Transfer): number {
  return amount - amount_reversed
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
