import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { cutAtWord, oneLine } from '../../../lib/text/characters.ts'
import { recordNotice } from '../../games/notice-events.ts'
import { type GameRow, lockGame, notifyChange, openGame } from '../../games/service.ts'
import type { Answer, AnswerInput } from './model.ts'
import * as queries from './queries.ts'
import { toAnswer } from './service.ts'

type Services = Pick<Deps, 'db' | 'config'>

const NOTICE_TEXT_MAX = 200

/** The developer's answer to a review; the writer of the review is told of the first one. */
export async function answerReview(
  deps: Services,
  user: WebsiteUser,
  ref: string,
  reviewUid: string,
  { text }: AnswerInput,
): Promise<{ answer: Answer; isNew: boolean }> {
  const written = text.trim()
  const isNew = await deps.db.transaction(async (tx) => {
    const { game, review } = await lockReview(tx, user, ref, reviewUid)
    await queries.setAnswer(tx, review.uid, written)
    await notifyChange(tx, game.uid)
    if (review.answer !== null) return false
    await recordNotice(tx, {
      kind: 'review_answer',
      gameUid: game.uid,
      developerUid: game.ownerUid,
      userUid: review.userUid,
      facts: {
        title: game.name,
        text: cutAtWord(oneLine(written), NOTICE_TEXT_MAX),
        path: `/games/${game.vanityName}/reviews#review-${review.uid}`,
      },
      onceKey: `review_answer ${review.uid}`,
    })
    return true
  })
  const answer = await openAnswer(deps, user, ref, reviewUid)
  if (!answer) throw noAnswer()
  return { answer, isNew }
}

export async function deleteAnswer(
  deps: Services,
  user: WebsiteUser,
  ref: string,
  reviewUid: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { game, review } = await lockReview(tx, user, ref, reviewUid)
    if (review.answer === null) throw noAnswer()
    await queries.setAnswer(tx, review.uid, null)
    await notifyChange(tx, game.uid)
  })
}

/** The answer as it is now, for those who write it. */
export async function openAnswer(
  { db }: Services,
  user: WebsiteUser,
  ref: string,
  reviewUid: string,
): Promise<Answer | null> {
  const { game } = await openGame(db, user, ref, 'edit')
  const row = isUid(reviewUid) ? await queries.findReviewByUid(db, reviewUid) : undefined
  if (row?.review.gameUid !== game.uid) throw noReview()
  return toAnswer(row.review)
}

async function lockReview(tx: Transaction, user: WebsiteUser, ref: string, uid: string) {
  const { game }: { game: GameRow } = await lockGame(tx, user, ref, 'edit')
  const review = isUid(uid) ? await queries.lockReview(tx, game.uid, uid) : undefined
  if (!review) throw noReview()
  return { game, review }
}

function noReview(): AppError {
  return new AppError('not_found', { message: 'There is no such review of this listing.' })
}

function noAnswer(): AppError {
  return new AppError('not_found', { message: 'This review has no answer.' })
}
