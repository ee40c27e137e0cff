import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Follows, FollowsQuery } from './model.ts'
import { listFollows, parseFollows } from './service.ts'

export function followedRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'followed', prefix: '/api/v1/private' })
    .use(kit)
    .get('/follows', async ({ actor, query }) => ok(await listFollows(deps, actor, parseFollows(query))), {
      websiteOrPlayer: 'player:read',
      query: FollowsQuery,
      response: Envelope(Follows),
      detail: {
        tags: ['Follows'],
        summary: 'What the account follows, newest first, or its wishlist in its own order',
      },
    })
}
