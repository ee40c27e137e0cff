import type { Deps } from '../../../deps.ts'
import { done, Envelope, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
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

const write = () => ({ websiteOrPlayer: 'player:library', limit: 'account_write' }) as const

/** What players follow, and their wishlists. */
export function followedRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'followed', prefix: '/api/v1/private/follows', tags: ['Follows'] })
    .get('', async ({ actor, query }) => ok(await listFollows(deps, actor, parseFollows(query))), {
      websiteOrPlayer: 'player:read',
      query: FollowsQuery,
      response: Envelope(Follows),
      summary: 'What the account follows, newest first, or its wishlist in its own order',
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
        summary: 'Follow a listing, or put it on the wishlist',
        description: 'Replaces all choices; what is not sent is the default.',
        fails: ['taken', 'forbidden'],
      },
    )
    .delete('/games/:uid', async ({ actor, params }) => await done(unfollowGame(deps, actor, params.uid)), {
      ...write(),
      response: Nothing,
      summary: 'Stop following a listing; its licence stays',
    })
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
        summary: 'Follow a developer',
        description: 'Replaces all choices; what is not sent is the default.',
        fails: 'taken',
      },
    )
    .delete(
      '/developers/:user_uid',
      async ({ actor, params }) => await done(unfollowDeveloper(deps, actor, params.user_uid)),
      {
        ...write(),
        response: Nothing,
        summary: 'Stop following a developer',
      },
    )
}
