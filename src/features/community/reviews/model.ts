import { t } from 'elysia'

import { Paged } from '../../../http/paging.ts'
import { Integer, Moment, Uid } from '../../../http/schema.ts'

export const RATING_MIN = 1
export const RATING_MAX = 5
export const TEXT_MAX = 4000

const Rating = Integer({
  minimum: RATING_MIN,
  maximum: RATING_MAX,
  error: `A rating is a whole number from ${RATING_MIN} to ${RATING_MAX}.`,
  examples: [5],
})

export const ReviewInput = t.Object(
  {
    rating: Rating,
    text: t.String({ maxLength: TEXT_MAX, error: `A review has at most ${TEXT_MAX} characters.` }),
  },
  { additionalProperties: false },
)
export type ReviewInput = typeof ReviewInput.static

export const Review = t.Object(
  {
    uid: Uid,
    username: t.String({ examples: ['keeper'] }),
    rating: Rating,
    text: t.String({ description: 'Plain text.', examples: ['I stayed for the lighthouse.'] }),
    play_minutes: Integer({ minimum: 0, description: 'How long the player has played by now.' }),
    created_at: Moment,
    updated_at: Moment,
  },
  { $id: 'Review' },
)
export type Review = typeof Review.static

export const ReviewPage = t.Composite([
  Paged(Review),
  t.Object({
    average: t.Nullable(
      t.Number({
        minimum: RATING_MIN,
        maximum: RATING_MAX,
        description: 'Of all ratings, to two decimals; null without any.',
        examples: [4.25],
      }),
    ),
    count: Integer({ minimum: 0, description: 'How many reviews the average is made of.' }),
  }),
])
export type ReviewPage = typeof ReviewPage.static
