import { t } from 'elysia'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { FOLLOWS_MAX } from '../../../domain/follows.ts'
import { Integer, Moment, OneOf, Strict } from '../../../http/input/schema.ts'
import { Developer } from '../../accounts/profile/model.ts'

const gameChoices = {
  releases: t.Boolean({ description: 'Whether to hear of releases.' }),
  posts: t.Boolean({ description: 'Whether to hear of posts.' }),
  platforms: t.Array(OneOf(OPERATING_SYSTEMS), {
    maxItems: OPERATING_SYSTEMS.length,
    uniqueItems: true,
    description: 'Only releases for these systems; empty: for all.',
  }),
  wish: t.Boolean({ description: 'Whether it is on the wishlist.' }),
}
const Position = t.Nullable(Integer({ minimum: 1, maximum: FOLLOWS_MAX }), {
  description: 'The place on the wishlist, from 1. Without one, a new wish comes last, and others stay.',
})

/** What is not sent is the default. */
export const GameFollowInput = Strict({
  ...t.Partial(t.Object(gameChoices)).properties,
  position: t.Optional(Position),
})
export type GameFollowInput = typeof GameFollowInput.static

/** What a follow of a listing consists of, beside the listing. */
export const gameFollowFields = {
  ...gameChoices,
  position: Position,
  price_cents: Integer({ minimum: 0 }),
  wished_price_cents: t.Nullable(Integer({ minimum: 0 }), {
    description: 'The price when it was put on the wishlist; null if it is not there.',
  }),
  since: Moment,
}

const developerChoices = {
  new_games: t.Boolean({ description: 'Whether to hear of new listings.' }),
  posts: t.Boolean({ description: 'Whether to hear of the posts of all their public listings.' }),
}

/** What is not sent is the default. */
export const DeveloperFollowInput = t.Object(t.Partial(t.Object(developerChoices)).properties, {
  additionalProperties: false,
})
export type DeveloperFollowInput = typeof DeveloperFollowInput.static

/** What a follow of a developer consists of. */
export const developerFollowFields = { developer: Developer, ...developerChoices, since: Moment }
