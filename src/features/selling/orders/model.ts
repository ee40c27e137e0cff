import { t } from 'elysia'

import { ORDER_STATUSES } from '../../../domain/listings/orders.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { Integer, Moment, OneOf, Strict, Uid } from '../../../http/input/schema.ts'

const Cents = (options: object = {}) => Integer({ minimum: 0, examples: [999], ...options })

export const Order = t.Object(
  {
    uid: Uid,
    /** `vanity_name` and `url` are null while the page is hidden, and once it is deleted. */
    game: t.Object({
      uid: Uid,
      name: t.String(),
      vanity_name: t.Nullable(t.String()),
      url: t.Nullable(t.String({ format: 'uri' })),
    }),
    edition: t.Nullable(t.Object({ uid: Uid, name: t.String({ examples: ['Deluxe'] }) })),
    amount_cents: Cents(),
    fee_cents: Cents({ description: "The store's share.", examples: [100] }),
    currency: t.Literal(STORE_RULES.currency),
    status: OneOf(ORDER_STATUSES),
    created_at: Moment,
    paid_at: t.Nullable(Moment),
    refunded_cents: Cents({ examples: [0] }),
    refund_pending: t.Boolean({ description: 'Whether a refund waits for Stripe.' }),
    receipt_url: t.Nullable(t.String({ format: 'uri' })),
  },
  { $id: 'Order' },
)
export type Order = typeof Order.static

export const CheckoutInput = Strict({
  edition_uid: t.Optional(Uid),
  amount_cents: t.Optional(
    Integer({ minimum: 0, description: 'The price unless the listing lets buyers pay more.' }),
  ),
})
export type CheckoutInput = typeof CheckoutInput.static

export const Checkout = t.Object(
  {
    order_uid: Uid,
    url: t.String({ format: 'uri', description: 'The page of Stripe where the buyer pays.' }),
    expires_at: Moment,
  },
  { $id: 'Checkout' },
)
export type Checkout = typeof Checkout.static

export const REASON_MAX = 500

export const RefundInput = Strict({
  amount_cents: t.Optional(
    Integer({ minimum: 1, description: 'The whole rest if left out. Buyers get the whole rest.' }),
  ),
  reason: t.Optional(
    t.String({
      minLength: 1,
      maxLength: REASON_MAX,
      pattern: '\\S',
      description: 'Owners and operators have to give one.',
    }),
  ),
})
export type RefundInput = typeof RefundInput.static
