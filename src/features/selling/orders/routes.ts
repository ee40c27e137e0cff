import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { createCheckout } from './checkout.ts'
import { Checkout, CheckoutInput, Order, RefundInput } from './model.ts'
import { refundOrder } from './refunds.ts'
import { getOrder, listOrders } from './service.ts'

const tags = ['Selling']

/** In a store without payments, checkouts are refused with the reason, and refunds have no route. */
export function orderRoutes(kit: HttpKit, deps: Deps) {
  const app = new Elysia({ name: 'orders', prefix: '/api/v1/private' })
    .use(kit)
    .post(
      '/games/:uid/checkout',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createCheckout(deps, actor, params.uid, body))),
      {
        website: true,
        limit: 'checkout',
        body: CheckoutInput,
        response: { 201: Envelope(Checkout) },
        detail: {
          tags,
          summary: 'Order a listing or an edition, to pay on a page of Stripe',
          description: 'The same open order is answered again for 30 minutes.',
          ...failsWith('not_for_sale', 'already_owned', 'email_not_verified', 'payments_failed'),
        },
      },
    )
    .get('/orders', async ({ actor, query }) => ok(await listOrders(deps, actor, parsePage(query))), {
      website: true,
      query: PageQuery,
      response: Envelope(Paged(Order)),
      detail: { tags, summary: 'Your orders, newest first' },
    })
    .get('/orders/:uid', async ({ actor, params }) => ok((await getOrder(deps, actor, params.uid)).order), {
      website: true,
      response: Envelope(Order),
      detail: { tags, summary: 'One of your orders; asks Stripe while it is open' },
    })
  if (!deps.payments) return app
  return app.post(
    '/orders/:uid/refund',
    async ({ actor, params, body }) => ok(await refundOrder(deps, actor, params.uid, body)),
    {
      website: true,
      limit: 'refund',
      body: RefundInput,
      response: Envelope(Order),
      detail: {
        tags,
        summary: 'Give an order back',
        description:
          'The buyer within 14 days and with less than 2 hours played; the owner of the listing and operators at any time, with a reason. The same request is one refund, however often it is sent.',
        ...failsWith('refund_refused', 'confirmation_needed', 'second_factor_needed', 'payments_failed'),
      },
    },
  )
}
