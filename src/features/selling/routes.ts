import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { keyRoutes } from './keys/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { payoutRoutes } from './payouts/routes.ts'
import { stripeWebhookRoutes } from './webhooks/routes.ts'

/** Without STRIPE_SECRET_KEY there are no payouts and no webhook; the routes of keys and orders stay. */
export function sellingRoutes(kit: HttpKit, deps: Deps) {
  const app = new Elysia({ name: 'selling' }).use(keyRoutes(kit, deps)).use(orderRoutes(kit, deps))
  if (!deps.payments) return app
  return app.use(payoutRoutes(kit, deps)).use(stripeWebhookRoutes(kit, deps))
}
