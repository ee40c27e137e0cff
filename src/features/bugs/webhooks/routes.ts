import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Delivery, SentTests } from './model.ts'
import { listDeliveries, redeliver, testWebhooks } from './service.ts'

const tags = ['Bugs']

export function webhookRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bug-webhooks', prefix: '/api/v1/private/games/:uid/bug-reporter' })
    .use(kit)
    .post('/test-webhook', async ({ actor, params }) => ok(await testWebhooks(deps, actor, params.uid)), {
      website: true,
      response: Envelope(SentTests),
      detail: { tags, summary: 'Send a signed test to every webhook URL' },
    })
    .get(
      '/deliveries',
      async ({ actor, params, query }) => ok(await listDeliveries(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(Delivery)),
        detail: { tags, summary: 'The webhooks of the last 30 days with every attempt, newest first' },
      },
    )
    .post(
      '/deliveries/:delivery_uid/redeliver',
      async ({ actor, params }) => ok(await redeliver(deps, actor, params.uid, params.delivery_uid)),
      {
        website: true,
        response: Envelope(Delivery),
        detail: { tags, summary: 'Send a webhook again', ...failsWith('taken') },
      },
    )
}
