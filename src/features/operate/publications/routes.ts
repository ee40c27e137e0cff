import { Elysia, t } from 'elysia'

import { Paged, PageQuery } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import { ReasonInput } from '../model.ts'
import type { Operate } from '../operate.ts'
import { WaitingPublication } from './model.ts'
import { approve, decline, listWaiting } from './service.ts'

const tags = ['Operators']

/** Publications that wait for an operator, where the store approves them. */
export function publicationRoutes(kit: HttpKit, operate: Operate) {
  return new Elysia({ name: 'operator-publications', prefix: '/api/v1/operator/queue' })
    .use(kit)
    .get('', async ({ query }) => ok(await listWaiting(operate.deps.db, readPage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(WaitingPublication)),
      detail: { tags, summary: 'Publications that wait for approval, the oldest first' },
    })
    .post(
      '/:uid/approve',
      async ({ actor, params }) => {
        await approve(operate, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Approve a publication', ...failsWith('taken', 'listing_check_failed') },
      },
    )
    .post(
      '/:uid/decline',
      async ({ actor, params, body }) => {
        await decline(operate, actor, params.uid, body.reason.trim())
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        body: ReasonInput,
        response: Envelope(t.Object({})),
        detail: {
          tags,
          summary: 'Decline a publication; its owner is mailed the reason',
          ...failsWith('taken'),
        },
      },
    )
}
