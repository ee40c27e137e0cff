import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { DeveloperFollow, DeveloperFollowEdit, GameFollow, GameFollowEdit } from './model.ts'
import {
  findOwnDeveloperFollow,
  findOwnFollow,
  followDeveloper,
  followGame,
  unfollowDeveloper,
  unfollowGame,
} from './service.ts'

const tags = ['Follows']
const write = () => ({ websiteOrPlayer: 'player:library', limit: 'account_write' }) as const

export function followRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'follows', prefix: '/api/v1/private/follows' })
    .use(kit)
    .put(
      '/games/:uid',
      async ({ actor, params: { uid }, body }) => {
        const input = await GameFollowEdit.settle(body, () => findOwnFollow(deps, actor, uid))
        return ok(await followGame(deps, actor, uid, input))
      },
      {
        ...write(),
        body: GameFollowEdit.body,
        response: Envelope(GameFollow),
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
      async ({ actor, params: { user_uid }, body }) => {
        const input = await DeveloperFollowEdit.settle(body, () =>
          findOwnDeveloperFollow(deps, actor, user_uid),
        )
        return ok(await followDeveloper(deps, actor, user_uid, input))
      },
      {
        ...write(),
        body: DeveloperFollowEdit.body,
        response: Envelope(DeveloperFollow),
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
