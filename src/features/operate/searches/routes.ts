import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { listMissedSearches } from '../../catalog/search/misses.ts'
import { MissedSearch } from '../../catalog/search/model.ts'

export function missedSearchRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'operator-searches', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/searches', async ({ query }) => ok(await listMissedSearches(deps, parsePage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(MissedSearch)),
      detail: {
        tags: ['Operators'],
        summary: 'What was searched in the last 30 days and not found, the most frequent first',
        description: 'Words only: nothing is stored about who searched.',
      },
    })
}
