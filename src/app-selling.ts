import { Elysia } from 'elysia'

import type { Deps } from './deps.ts'
import { recordRefund } from './features/operate/sales/service.ts'
import { checkoutRoutes } from './features/selling/checkout/routes.ts'
import { keyRoutes } from './features/selling/keys/routes.ts'
import { orderRoutes } from './features/selling/orders/routes.ts'
import { payoutRoutes } from './features/selling/payouts/routes.ts'
import { refundRoutes } from './features/selling/refunds/routes.ts'
import { stripeWebhookRoutes } from './features/selling/webhooks/routes.ts'
import type { HttpKit } from './http/kit.ts'

/** Without STRIPE_SECRET_KEY there are keys, and the orders of before; the rest is missing. */
export function sellingRoutes(kit: HttpKit, deps: Deps) {
  const app = new Elysia({ name: 'selling' })
    .use(keyRoutes(kit, deps))
    .use(checkoutRoutes(kit, deps))
    .use(orderRoutes(kit, deps))
  if (!deps.payments) return app
  return app
    .use(payoutRoutes(kit, deps))
    .use(refundRoutes(kit, deps, recordRefund))
    .use(stripeWebhookRoutes(kit, deps))
}
