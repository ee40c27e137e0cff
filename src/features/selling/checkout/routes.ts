import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Checkout, CheckoutInput } from './model.ts'
import { createCheckout } from './service.ts'

const errors = failsWith('not_for_sale', 'already_owned', 'email_not_verified', 'payments_failed')

export function checkoutRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'checkout', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .post(
      '/checkout',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createCheckout(deps, actor, params.uid, body))),
      {
        website: true,
        limit: 'checkout',
        body: CheckoutInput,
        response: { 201: Envelope(Checkout) },
        detail: {
          tags: ['Selling'],
          summary: 'Order a listing or an edition, to pay on a page of Stripe',
          description: 'The same open order is answered again for 30 minutes.',
          ...errors,
        },
      },
    )
}
