import { t } from 'elysia'

import { Integer, Joined, Moment, Paged, Strict, Uid, writable } from '../../../http/input/schema.ts'
import { personFields } from '../../accounts/profile/model.ts'

export const RATING_MIN = 1
export const RATING_MAX = 5
export const TEXT_MAX = 4000
export const ANSWER_MAX = 2000

const Rating = Integer({
  minimum: RATING_MIN,
  maximum: RATING_MAX,
  examples: [5],
})

export const ReviewInput = Strict({
  rating: Rating,
  text: t.String({ maxLength: TEXT_MAX }),
})
export type ReviewInput = typeof ReviewInput.static

/** What the developer says to a review. */
export const Answer = t.Object({
  text: t.String({ description: 'Plain text.', examples: ['Thank you! The lamp is brighter now.'] }),
  created_at: Moment,
  updated_at: Moment,
})
export type Answer = typeof Answer.static

export const AnswerInput = Strict({
  text: t.String({
    minLength: 1,
    maxLength: ANSWER_MAX,
    pattern: '\\S',
    error: `must have 1 to ${ANSWER_MAX} characters`,
  }),
})
export type AnswerInput = typeof AnswerInput.static

export const Review = t.Object(
  {
    uid: Uid,
    ...personFields,
    rating: Rating,
    text: t.String({ description: 'Plain text.', examples: ['I stayed for the lighthouse.'] }),
    play_minutes: Integer({ minimum: 0, description: 'The play time of the player so far.' }),
    created_at: Moment,
    updated_at: Moment,
    answer: t.Nullable(Answer),
  },
  { $id: 'Review' },
)
export type Review = typeof Review.static
export const ReviewEdit = writable(ReviewInput, Review)
export const AnswerEdit = writable(AnswerInput, Answer)

export const ReviewPage = Joined([
  Paged(Review),
  t.Object({
    average: t.Nullable(
      t.Number({
        minimum: RATING_MIN,
        maximum: RATING_MAX,
        description: 'The mean of all ratings to two decimals; null without ratings.',
        examples: [4.25],
      }),
    ),
    count: Integer({ minimum: 0, description: 'The number of reviews.' }),
  }),
])
export type ReviewPage = typeof ReviewPage.static
