import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import {
  findFollowedUid,
  findUserUid,
  followDeveloper,
  followGame,
  unfollowDeveloper,
  unfollowGame,
} from '../../community/follows/service.ts'
import {
  DeveloperFollowEdit,
  FollowedDeveloper,
  FollowedGame,
  Follows,
  FollowsQuery,
  GameFollowEdit,
} from './model.ts'
import { findFollowedDeveloper, findFollowedGame, listFollows, loadFollow, parseFollows } from './service.ts'

const tags = ['Follows']
const write = () => ({ websiteOrPlayer: 'player:library', limit: 'account_write' }) as const

/** What players follow, and their wishlists. */
export function followedRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'followed', prefix: '/api/v1/private/follows' })
    .use(kit)
    .get('', async ({ actor, query }) => ok(await listFollows(deps, actor, parseFollows(query))), {
      websiteOrPlayer: 'player:read',
      query: FollowsQuery,
      response: Envelope(Follows),
      detail: { tags, summary: 'What the account follows, newest first, or its wishlist in its own order' },
    })
    .put(
      '/games/:uid',
      async ({ actor, params: { uid }, body }) => {
        const read = async () => findFollowedGame(deps, actor, await findFollowedUid(deps.db, actor, uid))
        const input = await GameFollowEdit.settle(body, read)
        const gameUid = await followGame(deps, actor, uid, input)
        return ok(await loadFollow(findFollowedGame(deps, actor, gameUid)))
      },
      {
        ...write(),
        body: GameFollowEdit.body,
        response: Envelope(FollowedGame),
        detail: {
          tags,
          summary: 'Follow a listing, or put it on the wishlist',
          description: 'Replaces all choices; what is not sent is the default.',
          ...failsWith('taken', 'forbidden'),
        },
      },
    )
    .delete(
      '/games/:uid',
      async ({ actor, params }) => {
        await unfollowGame(deps, actor, params.uid)
        return ok({})
      },
      {
        ...write(),
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Stop following a listing; its licence stays' },
      },
    )
    .put(
      '/developers/:user_uid',
      async ({ actor, params: { user_uid: ref }, body }) => {
        const read = async () => findFollowedDeveloper(deps, actor, await findUserUid(deps.db, ref))
        const input = await DeveloperFollowEdit.settle(body, read)
        const developerUid = await followDeveloper(deps, actor, ref, input)
        return ok(await loadFollow(findFollowedDeveloper(deps, actor, developerUid)))
      },
      {
        ...write(),
        body: DeveloperFollowEdit.body,
        response: Envelope(FollowedDeveloper),
        detail: {
          tags,
          summary: 'Follow a developer',
          description: 'Replaces all choices; what is not sent is the default.',
          ...failsWith('taken'),
        },
      },
    )
    .delete(
      '/developers/:user_uid',
      async ({ actor, params }) => {
        await unfollowDeveloper(deps, actor, params.user_uid)
        return ok({})
      },
      {
        ...write(),
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Stop following a developer' },
      },
    )
}
