import { t } from 'elysia'

import { ORDER_STATUSES } from '../../../domain/listings/orders.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { Integer, Moment, OneOf, Uid } from '../../../http/input/schema.ts'

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
