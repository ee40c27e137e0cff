import type { Stripe } from 'stripe'

import type { Purchase } from './payments.ts'

/** The bank puts the store's own name of up to ten characters and two more before it, of 22 in all. */
const SUFFIX_MAX = 10

/** A destination charge: the developer gets the amount, and the fee of it goes back to the store. */
export function toSessionParams(purchase: Purchase, tax: boolean): Stripe.Checkout.SessionCreateParams {
  const { orderUid, name, amountCents, feeCents, currency, accountId, email, returnUrl } = purchase
  const suffix = toStatement(purchase.storeName)
  return {
    mode: 'payment',
    // Others settle days later; with a card the money is there or it is not.
    allowed_payment_method_types: ['card'],
    adaptive_pricing: { enabled: false },
    client_reference_id: orderUid,
    customer_email: email,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: amountCents,
          product_data: { name },
          tax_behavior: 'inclusive',
        },
      },
    ],
    automatic_tax: { enabled: tax },
    metadata: { order_uid: orderUid },
    payment_intent_data: {
      // Stripe refuses a fee of nothing.
      ...(feeCents > 0 && { application_fee_amount: feeCents }),
      transfer_data: { destination: accountId },
      description: name,
      metadata: { order_uid: orderUid },
      ...(suffix && { statement_descriptor_suffix: suffix }),
    },
    expires_at: Math.floor(purchase.expiresAt.getTime() / 1000),
    success_url: returnUrl,
    cancel_url: returnUrl,
  }
}

/** Banks print Latin letters, digits and a few marks, and ask for a letter. */
function toStatement(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9 .-]/g, '')
    .trim()
  const suffix = plain.slice(0, SUFFIX_MAX).trim().toUpperCase()
  return /[A-Z]/.test(suffix) ? suffix : ''
}
