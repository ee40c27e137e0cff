import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { MOVED } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { answerReview, deleteAnswer, openAnswer } from './answers.ts'
import { Answer, AnswerEdit, Review, ReviewEdit, ReviewPage } from './model.ts'
import { deleteReview, listReviews, loadOwnReview, openOwnReview, writeReview } from './service.ts'

const tags = ['Reviews']

export function reviewRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'reviews', prefix: '/api/v1' })
    .use(kit)
    .get(
      '/public/games/:game_id/reviews',
      async ({ params, query }) => ok(await listReviews(deps, params.game_id, parsePage(query))),
      {
        visitor: true,
        cache: { maxAge: 10 },
        query: PageQuery,
        response: Envelope(ReviewPage),
        detail: { tags, summary: 'The reviews of a listing, newest first', responses: MOVED },
      },
    )
    .get(
      '/private/games/:uid/review',
      async ({ actor, params }) => ok(await loadOwnReview(deps, actor, params.uid)),
      {
        website: true,
        response: Envelope(Review),
        detail: { tags, summary: 'Your review' },
      },
    )
    .put(
      '/private/games/:uid/review',
      async ({ actor, params, body, status }) => {
        const input = await ReviewEdit.settle(body, () => openOwnReview(deps, actor, params.uid))
        const { review, isNew } = await writeReview(deps, actor, params.uid, input)
        return status(isNew ? 201 : 200, ok(review))
      },
      {
        website: true,
        body: ReviewEdit.body,
        response: { 200: Envelope(Review), 201: Envelope(Review) },
        detail: { tags, summary: 'Write or change your review' },
      },
    )
    .delete(
      '/private/games/:uid/review',
      async ({ actor, params }) => {
        await deleteReview(deps, actor, params.uid)
        return ok({})
      },
      {
        website: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete your review' },
      },
    )
    .put(
      '/private/games/:uid/reviews/:review_uid/answer',
      async ({ actor, params: { uid, review_uid }, body, status }) => {
        const input = await AnswerEdit.settle(body, () => openAnswer(deps, actor, uid, review_uid))
        const { answer, isNew } = await answerReview(deps, actor, uid, review_uid, input)
        return status(isNew ? 201 : 200, ok(answer))
      },
      {
        website: true,
        body: AnswerEdit.body,
        response: { 200: Envelope(Answer), 201: Envelope(Answer) },
        detail: { tags, summary: 'Answer a review of your listing, or change the answer' },
      },
    )
    .delete(
      '/private/games/:uid/reviews/:review_uid/answer',
      async ({ actor, params }) => {
        await deleteAnswer(deps, actor, params.uid, params.review_uid)
        return ok({})
      },
      {
        website: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete your answer to a review' },
      },
    )
}
