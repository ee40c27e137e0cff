import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { LookAlike } from './model.ts'
import { dismissLookAlike, listLookAlikes } from './service.ts'

const tags = ['Operators']

export function lookAlikeRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'operator-look-alikes', prefix: '/api/v1/operator/look-alikes' })
    .use(kit)
    .get('', async ({ query }) => ok(await listLookAlikes(deps, parsePage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(LookAlike)),
      detail: { tags, summary: 'Names that look like a developer’s or the store’s' },
    })
    .post(
      '/:uid/dismiss',
      async ({ actor, params }) => {
        await dismissLookAlike(deps, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Accept the name of an account' },
      },
    )
}
