import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import { Order } from './model.ts'
import { getOrder, listOrders } from './service.ts'

const tags = ['Selling']

export function orderRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'orders', prefix: '/api/v1/private/orders' })
    .use(kit)
    .get('', async ({ actor, query }) => ok(await listOrders(deps, actor, readPage(query))), {
      website: true,
      query: PageQuery,
      response: Envelope(Paged(Order)),
      detail: { tags, summary: 'Your orders, newest first' },
    })
    .get('/:uid', async ({ actor, params }) => ok((await getOrder(deps, actor, params.uid)).order), {
      website: true,
      response: Envelope(Order),
      detail: { tags, summary: 'One of your orders; asks Stripe while it is open' },
    })
}
