import { t } from 'elysia'

import { FOLLOWS_MAX } from '../../../domain/follows.ts'
import { Integer, Moment, OneOf, Uid, writable } from '../../../http/input/schema.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../lib/paging.ts'
import {
  developerFollowFields,
  DeveloperFollowInput,
  gameFollowFields,
  GameFollowInput,
} from '../../community/follows/model.ts'
import { Card } from '../pages/model.ts'

const NewestRelease = t.Object({
  uid: Uid,
  title: t.String({ examples: ['The lamp turns again'] }),
  version: t.Nullable(t.String({ examples: ['1.2.0'] })),
  at: Moment,
})

export const FollowedGame = t.Object(
  {
    game: Card,
    newest_release: t.Nullable(NewestRelease, { description: 'The newest entry of its changelog.' }),
    ...gameFollowFields,
  },
  { $id: 'FollowedGame' },
)
export type FollowedGame = typeof FollowedGame.static
/** Accepts the read-only fields too, so that a follow that was read can be sent back. */
export const GameFollowEdit = writable(GameFollowInput, FollowedGame)

export const FollowedDeveloper = t.Object(
  {
    ...developerFollowFields,
    newest_game: t.Nullable(Card, { description: 'The newest public listing.' }),
  },
  { $id: 'FollowedDeveloper' },
)
export type FollowedDeveloper = typeof FollowedDeveloper.static
export const DeveloperFollowEdit = writable(DeveloperFollowInput, FollowedDeveloper)

export const FOLLOW_KINDS = ['games', 'developers'] as const
export type FollowKind = (typeof FOLLOW_KINDS)[number]

/** Declared as texts, so that invalid values are clamped or replaced by the default and never rejected. */
export const FollowsQuery = t.Object({
  kind: t.Optional(t.String({ description: 'games (the default) or developers.', examples: ['games'] })),
  wish: t.Optional(
    t.String({ description: 'true: only the wishlist, in its own order.', examples: ['true'] }),
  ),
  limit: t.Optional(
    t.String({ description: `1 to ${PAGE_SIZE_MAX}, ${PAGE_SIZE_DEFAULT} by default.`, examples: ['20'] }),
  ),
  offset: t.Optional(t.String({ description: 'How many to leave out, 0 by default.', examples: ['20'] })),
})

export const Follows = t.Object({
  kind: OneOf(FOLLOW_KINDS),
  items: t.Array(t.Union([FollowedGame, FollowedDeveloper])),
  total: Integer({ minimum: 0, maximum: FOLLOWS_MAX }),
  limit: Integer({ minimum: 1, maximum: PAGE_SIZE_MAX }),
  offset: Integer({ minimum: 0 }),
})
export type Follows = typeof Follows.static

/** What of the followed listings is asked for: all, without mere wishes, or the wishlist. */
export type FollowPart = 'all' | 'follows' | 'wishes'

export interface FollowWindow {
  limit: number
  offset: number
}
