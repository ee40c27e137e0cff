import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readLimited, TooLarge } from '../../../lib/bytes/streams.ts'
import { createReceiver } from './service.ts'

/** Events of Stripe are a few kilobytes. */
const BODY_MAX = 512 * 1024

/** The signature covers the raw body, so no other parser may read it. */
export function stripeWebhookRoutes(kit: HttpKit, deps: Deps) {
  const receive = createReceiver(deps)
  return new Elysia({ name: 'stripe-webhook', prefix: '/api/v1/stripe' }).use(kit).post(
    '/webhook',
    async ({ request }) => {
      const body = await readBody(request)
      await receive(body, request.headers.get('stripe-signature') ?? '')
      return ok({})
    },
    {
      rawBody: true,
      open: true,
      response: Envelope(t.Object({})),
      detail: { tags: ['Selling'], summary: 'Events of Stripe, signed with STRIPE_WEBHOOK_SECRET' },
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
