import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { Envelope, listOf, Nothing, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { readLimited, TooLarge } from '../../lib/bytes/streams.ts'
import { parsePage } from '../../lib/paging.ts'
import { keyRoutes } from './keys/routes.ts'
import { createCheckout } from './orders/checkout.ts'
import { Checkout, CheckoutInput, Order, RefundInput } from './orders/model.ts'
import { refundOrder } from './orders/refunds.ts'
import { getOrder, listOrders } from './orders/service.ts'
import { Payouts, StripeLink } from './payouts/model.ts'
import { beginOnboarding, loadPayouts, openDashboard } from './payouts/service.ts'
import { createReceiver } from './webhooks/service.ts'

/** Without STRIPE_SECRET_KEY there are no payouts and no webhook; the routes of keys and orders stay. */
export function sellingRoutes(kit: HttpKit, deps: Deps) {
  const app = new Elysia({ name: 'selling' }).use(keyRoutes(kit, deps)).use(orderRoutes(kit, deps))
  if (!deps.payments) return app
  return app.use(payoutRoutes(kit, deps)).use(stripeWebhookRoutes(kit, deps))
}

/** Events of Stripe are a few kilobytes. */
const BODY_MAX = 512 * 1024

/** The signature covers the raw body, so no other parser may read it. */
function stripeWebhookRoutes(kit: HttpKit, deps: Deps) {
  const receive = createReceiver(deps)
  return createRoutes(kit, { name: 'stripe-webhook', prefix: '/api/v1/stripe', tags: ['Selling'] }).post(
    '/webhook',
    async ({ request }) => {
      const body = await readBody(request)
      await receive(body, request.headers.get('stripe-signature') ?? '')
      return ok({})
    },
    {
      rawBody: true,
      open: true,
      response: Nothing,
      summary: 'Events of Stripe, signed with STRIPE_WEBHOOK_SECRET',
    },
  )
}

async function readBody(request: Request): Promise<string> {
  try {
    return new TextDecoder().decode(await readLimited(request.body, BODY_MAX))
  } catch (error) {
    throw error instanceof TooLarge ? new AppError('too_large') : error
  }
}

function payoutRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'payouts', prefix: '/api/v1/private/payouts', tags: ['Selling'] })
    .get('', async ({ actor }) => ok(await loadPayouts(deps, actor)), {
      website: true,
      response: Envelope(Payouts),
      summary: 'The Stripe account that your listings are paid out to',
    })
    .post('/onboarding', async ({ actor }) => ok({ url: await beginOnboarding(deps, actor) }), {
      website: true,
      fresh: true,
      limit: 'payouts',
      response: Envelope(StripeLink),
      summary: 'Connect an account with Stripe, or go on with it',
      fails: ['developer_mode_needed', 'email_not_verified', 'confirmation_needed', 'payments_failed'],
    })
    .post('/dashboard', async ({ actor }) => ok({ url: await openDashboard(deps, actor) }), {
      website: true,
      fresh: true,
      limit: 'payouts',
      response: Envelope(StripeLink),
      summary: 'The dashboard of Stripe',
      fails: ['confirmation_needed', 'payments_failed'],
    })
}

/** In a store without payments, checkouts are refused with the reason, and refunds have no route. */
function orderRoutes(kit: HttpKit, deps: Deps) {
  const app = createRoutes(kit, { name: 'orders', prefix: '/api/v1/private', tags: ['Selling'] })
    .post(
      '/games/:uid/checkout',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createCheckout(deps, actor, params.uid, body))),
      {
        website: true,
        limit: 'checkout',
        body: CheckoutInput,
        response: { 201: Envelope(Checkout) },
        summary: 'Order a listing or an edition, to pay on a page of Stripe',
        description: 'The same open order is answered again for 30 minutes.',
        fails: ['not_for_sale', 'already_owned', 'email_not_verified', 'payments_failed'],
      },
    )
    .get('/orders', async ({ actor, query }) => ok(await listOrders(deps, actor, parsePage(query))), {
      website: true,
      ...listOf(Order),
      summary: 'Your orders, newest first',
    })
    .get('/orders/:uid', async ({ actor, params }) => ok((await getOrder(deps, actor, params.uid)).order), {
      website: true,
      response: Envelope(Order),
      summary: 'One of your orders; asks Stripe while it is open',
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
      summary: 'Give an order back',
      description:
        'The buyer within 14 days and with less than 2 hours played; the owner of the listing and operators at any time, with a reason. The same request is one refund, however often it is sent.',
      fails: ['refund_refused', 'confirmation_needed', 'second_factor_needed', 'payments_failed'],
    },
  )
}
