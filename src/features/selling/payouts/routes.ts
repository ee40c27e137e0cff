import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Payouts, StripeLink } from './model.ts'
import { beginOnboarding, loadPayouts, openDashboard } from './service.ts'

const tags = ['Selling']

export function payoutRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'payouts', prefix: '/api/v1/private/payouts' })
    .use(kit)
    .get('', async ({ actor }) => ok(await loadPayouts(deps, actor)), {
      website: true,
      response: Envelope(Payouts),
      detail: { tags, summary: 'The Stripe account that your listings are paid out to' },
    })
    .post('/onboarding', async ({ actor }) => ok({ url: await beginOnboarding(deps, actor) }), {
      website: true,
      fresh: true,
      limit: 'payouts',
      response: Envelope(StripeLink),
      detail: {
        tags,
        summary: 'Connect an account with Stripe, or go on with it',
        ...failsWith('developer_mode_needed', 'email_not_verified', 'confirmation_needed', 'payments_failed'),
      },
    })
    .post('/dashboard', async ({ actor }) => ok({ url: await openDashboard(deps, actor) }), {
      website: true,
      fresh: true,
      limit: 'payouts',
      response: Envelope(StripeLink),
      detail: {
        tags,
        summary: 'The dashboard of Stripe',
        ...failsWith('confirmation_needed', 'payments_failed'),
      },
    })
}
