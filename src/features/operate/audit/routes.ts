import { Elysia } from 'elysia'

import { Paged, PageQuery } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import type { Operate } from '../operate.ts'
import { Act } from './model.ts'
import { listActs } from './service.ts'

export function auditRoutes(kit: HttpKit, { deps }: Operate) {
  return new Elysia({ name: 'operator-audit', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/audit', async ({ query }) => ok(await listActs(deps.db, readPage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(Act)),
      detail: { tags: ['Operators'], summary: 'Everything operators did, newest first' },
    })
}
