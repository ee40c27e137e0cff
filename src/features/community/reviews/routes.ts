import type { Deps } from '../../../deps.ts'
import { done, Envelope, Nothing, ok, PageQuery } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { answerReview, deleteAnswer, openAnswer } from './answers.ts'
import { Answer, AnswerEdit, Review, ReviewEdit, ReviewPage } from './model.ts'
import { deleteReview, listReviews, loadOwnReview, openOwnReview, writeReview } from './service.ts'

export function reviewRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'reviews', prefix: '/api/v1', tags: ['Reviews'] })
    .get(
      '/public/games/:game_id/reviews',
      async ({ params, query }) => ok(await listReviews(deps, params.game_id, parsePage(query))),
      {
        visitor: true,
        cache: { maxAge: 10 },
        query: PageQuery,
        response: Envelope(ReviewPage),
        summary: 'The reviews of a listing, newest first',
        mayMove: true,
      },
    )
    .get(
      '/private/games/:uid/review',
      async ({ actor, params }) => ok(await loadOwnReview(deps, actor, params.uid)),
      {
        website: true,
        response: Envelope(Review),
        summary: 'Your review',
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
        summary: 'Write or change your review',
      },
    )
    .delete(
      '/private/games/:uid/review',
      async ({ actor, params }) => await done(deleteReview(deps, actor, params.uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete your review',
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
        summary: 'Answer a review of your listing, or change the answer',
      },
    )
    .delete(
      '/private/games/:uid/reviews/:review_uid/answer',
      async ({ actor, params }) => await done(deleteAnswer(deps, actor, params.uid, params.review_uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete your answer to a review',
      },
    )
}
