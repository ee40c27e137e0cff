import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Paged, PageQuery } from '../../http/input/schema.ts'
import type { HttpKit } from '../../http/kit.ts'
import { Envelope, ok } from '../../http/output/envelope.ts'
import { parsePage } from '../../lib/paging.ts'
import { Change } from './history-model.ts'
import { listHistory } from './history.ts'

/** The record of deletions, which most areas write to. */
export function gameAreaRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'games area', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/history',
      async ({ actor, params, query }) => ok(await listHistory(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(Change)),
        detail: {
          tags: ['Listings'],
          summary: 'Who deleted what, newest first; the moves of channels have their own history',
        },
      },
    )
}
