import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { toPerson, type WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import type { Page } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { notifyChange, openGame, openPublicGame } from '../../games/service.ts'
import { requireLicense, toMinutes } from '../library/service.ts'
import { type Answer, RATING_MAX, RATING_MIN, Review, type ReviewInput, type ReviewPage } from './model.ts'
import * as queries from './queries.ts'

/** A review of at least this rating recommends the listing. */
const RECOMMENDS_FROM = 4

type Services = Pick<Deps, 'db' | 'config'>

export interface RatedReviews extends ReviewPage {
  /** How many players gave each rating, the lowest first. */
  histogram: readonly number[]
}

export async function listReviews(deps: Services, ref: string, page: Page): Promise<ReviewPage> {
  const game = await openPublicGame(deps.db, ref)
  return (await loadRated(deps, game.uid, page)).reviews
}

/** The reviews of a listing that the caller has opened. */
export async function loadReviewsOf(deps: Services, gameUid: string, page: Page): Promise<RatedReviews> {
  const { reviews, histogram } = await loadRated(deps, gameUid, page)
  return { ...reviews, histogram }
}

async function loadRated(
  { db, config }: Services,
  gameUid: string,
  page: Page,
): Promise<{ reviews: ReviewPage; histogram: number[] }> {
  const [rows, counts] = await Promise.all([
    queries.listReviews(db, gameUid, page),
    queries.countByRating(db, gameUid),
  ])
  const histogram = Array.from({ length: RATING_MAX }, (_, index) => counts.get(RATING_MIN + index) ?? 0)
  const count = histogram.reduce((sum, times) => sum + times, 0)
  const points = histogram.reduce((sum, times, index) => sum + times * (RATING_MIN + index), 0)
  const average = count === 0 ? null : Math.round((100 * points) / count) / 100
  const { page: number, page_size } = page
  const items = rows.map((row) => toReview(config.baseUrl, row))
  return {
    reviews: { items, total: count, page: number, page_size, average, count },
    histogram,
  }
}

export async function loadOwnReview(deps: Services, user: WebsiteUser, ref: string): Promise<Review> {
  const review = await openOwnReview(deps, user, ref)
  if (!review) throw noReview()
  return review
}

export async function openOwnReview(deps: Services, user: WebsiteUser, ref: string): Promise<Review | null> {
  const { game } = await openGame(deps.db, user, ref, 'see')
  return await findOwnReview(deps, user.userUid, game.uid)
}

export async function findOwnReview(
  { db, config }: Services,
  userUid: string,
  gameUid: string,
): Promise<Review | null> {
  const row = await queries.findReview(db, userUid, gameUid)
  return row ? toReview(config.baseUrl, row) : null
}

export interface RatingSums {
  reviews: number
  /** The sum over all reviews. */
  stars: number
  /** How many players recommend it. */
  recommendations: number
}

/** Of each listing; those without reviews are omitted. */
export async function listRatingsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, RatingSums>> {
  const rows = await queries.listRatings(db, gameUids, RECOMMENDS_FROM)
  return new Map(rows.map(({ gameUid, ...sums }) => [gameUid, sums]))
}

export async function writeReview(
  deps: Services,
  user: WebsiteUser,
  ref: string,
  input: ReviewInput,
): Promise<{ review: Review; isNew: boolean }> {
  const { db } = deps
  const { game, role } = await openGame(db, user, ref, 'see')
  if (role !== null) {
    throw new AppError('forbidden', {
      message: 'You are the owner or an admin of this listing, so you cannot review it.',
    })
  }
  await requireLicense(db, user.userUid, game.uid)
  if (!user.emailVerified) throw unconfirmed()
  const values = {
    userUid: user.userUid,
    gameUid: game.uid,
    rating: input.rating,
    text: input.text.trim(),
  }
  const isNew = await db.transaction(async (tx) => {
    await notifyChange(tx, game.uid)
    return await queries.upsertReview(tx, values)
  })
  return { review: await loadReview(deps, user.userUid, game.uid), isNew }
}

export async function deleteReview({ db }: Services, user: WebsiteUser, ref: string): Promise<void> {
  const { game } = await openGame(db, user, ref, 'see')
  await requireLicense(db, user.userUid, game.uid)
  await db.transaction(async (tx) => {
    if (!(await queries.deleteReview(tx, user.userUid, game.uid))) throw noReview()
    await notifyChange(tx, game.uid)
  })
}

async function loadReview(deps: Services, userUid: string, gameUid: string): Promise<Review> {
  const review = await findOwnReview(deps, userUid, gameUid)
  if (!review) throw noReview()
  return review
}

function unconfirmed(): AppError {
  return new AppError('forbidden', {
    message:
      'Confirm your e-mail address first: open the link in the mail we sent you, then write the review.',
  })
}

function noReview(): AppError {
  return new AppError('not_found', { message: 'You have not reviewed this listing.' })
}

function toReview(baseUrl: string, { review, person, playSeconds }: queries.ReviewRow): Review {
  return respond(Review, review, {
    ...toPerson(baseUrl, person),
    play_minutes: toMinutes(playSeconds),
    answer: toAnswer(review),
  })
}

export function toAnswer({
  answer,
  answeredAt,
  answerUpdatedAt,
}: queries.ReviewRow['review']): Answer | null {
  if (answer === null || !answeredAt) return null
  return {
    text: answer,
    created_at: answeredAt.toISOString(),
    updated_at: (answerUpdatedAt ?? answeredAt).toISOString(),
  }
}
