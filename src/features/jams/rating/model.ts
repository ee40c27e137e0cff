import { t } from 'elysia'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { COMMENT_MAX, STARS_MAX } from '../../../domain/jams.ts'
import { GIVEN_EXAMPLE } from '../../../domain/jams/queue-order.ts'
import { RATING_REFUSALS } from '../../../domain/jams/rating.ts'
import { Integer, Joined, Moment, OneOf, Strict, Uid, writable } from '../../../http/input/schema.ts'

/** Of one criterion. */
export const Stars = Integer({ minimum: 1, maximum: STARS_MAX, examples: [4] })

export const RatingInput = Strict({
  scores: t.Record(t.String(), Stars, {
    description: 'Stars by the name of the criterion; every criterion of the jam.',
    examples: [{ Fun: 4, Theme: 5 }],
  }),
  comment: t.Optional(
    t.String({ maxLength: COMMENT_MAX, description: 'To the developer; they read it after the results.' }),
  ),
  public: t.Optional(
    t.Boolean({ description: 'Whether everyone reads the comment after the results, with your name.' }),
  ),
})
export type RatingInput = typeof RatingInput.static

export const Rating = t.Object(
  {
    game_uid: Uid,
    scores: t.Record(t.String(), Stars),
    comment: t.String({ description: 'Plain text.' }),
    public: t.Boolean(),
    created_at: Moment,
    updated_at: Moment,
  },
  { $id: 'JamRating' },
)
export type Rating = typeof Rating.static
export const RatingEdit = writable(RatingInput, Rating)

export const OwnRating = Joined([
  Rating,
  t.Object({ game: t.Object({ uid: Uid, vanity_name: t.String(), name: t.String() }) }),
])
export type OwnRating = typeof OwnRating.static

export const QueuedGame = t.Object({
  uid: Uid,
  vanity_name: t.String({ examples: ['lantern-keeper'] }),
  name: t.String({ examples: ['Lantern Keeper'] }),
  tagline: t.String(),
  developer: t.String({ description: 'As the developer is shown.' }),
  cover: t.Nullable(t.String({ format: 'uri' })),
  adult: t.Boolean(),
})

export const QueueItem = t.Object({
  game: QueuedGame,
  note: t.String({ description: 'Of its developer, for voters.' }),
  files: t.Array(
    t.Object({ file_uid: Uid, os: OneOf(OPERATING_SYSTEMS), version: t.String(), playable: t.Boolean() }),
    { description: "The jam's version: clean builds that were stable at its end." },
  ),
  received: Integer({ minimum: 0, description: 'Ratings it received so far.' }),
  played_seconds: Integer({ minimum: 0 }),
  refusal: t.Nullable(OneOf(RATING_REFUSALS), {
    description: 'Why you cannot rate it yet, such as `not_played`; null: you can.',
  }),
  skipped: t.Boolean(),
  rating: t.Nullable(Rating, { description: 'Yours.' }),
})
export type QueueItem = typeof QueueItem.static

export const OwnStanding = t.Object({
  game: t.Object({ uid: Uid, vanity_name: t.String(), name: t.String() }),
  received: Integer({ minimum: 0 }),
  given: Integer({ minimum: 0, description: 'Ratings that its team gave.' }),
  ahead: Integer({ minimum: 0, description: 'How many entries stand before it in the queue.' }),
  ahead_after: Integer({
    minimum: 0,
    description: `How many would, had its team given ${GIVEN_EXAMPLE} ratings more.`,
  }),
})
export type OwnStanding = typeof OwnStanding.static

export const Queue = t.Object(
  {
    items: t.Array(QueueItem),
    left: Integer({ minimum: 0, description: 'Entries that you can still rate, on any system.' }),
    rated: Integer({ minimum: 0 }),
    own: t.Array(OwnStanding, { description: 'Your entries.' }),
  },
  { $id: 'JamQueue' },
)
export type Queue = typeof Queue.static

export const QueueQuery = t.Object({
  os: t.Optional(
    t.String({
      description: `Systems you have, separated by commas: ${OPERATING_SYSTEMS.join(', ')}; all by default. Browsers have web too.`,
      examples: ['linux,web'],
    }),
  ),
  limit: t.Optional(t.String({ description: '1 to 20, 10 by default.', examples: ['10'] })),
})
