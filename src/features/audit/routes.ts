import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Paged, PageQuery } from '../../http/input/schema.ts'
import type { HttpKit } from '../../http/kit.ts'
import { Envelope, ok } from '../../http/output/envelope.ts'
import { parsePage } from '../../lib/paging.ts'
import { Act } from './model.ts'
import { listActs } from './service.ts'

export function auditRoutes(kit: HttpKit, { db }: Deps) {
  return new Elysia({ name: 'operator-audit', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/audit', async ({ query }) => ok(await listActs(db, parsePage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(Act)),
      detail: { tags: ['Operators'], summary: 'Everything operators did, newest first' },
    })
}
