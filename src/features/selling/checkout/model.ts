import { t } from 'elysia'

import { Integer, Moment, Uid } from '../../../http/input/schema.ts'

export const CheckoutInput = t.Object(
  {
    edition_uid: t.Optional(Uid),
    amount_cents: t.Optional(
      Integer({ minimum: 0, description: 'The price unless the listing lets buyers pay more.' }),
    ),
  },
  { additionalProperties: false },
)
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
