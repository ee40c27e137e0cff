import { and, count, desc, eq, gte, sql, sum } from 'drizzle-orm'

import { anyOf, changed, type Db, one, type Transaction } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { playTimes, reviews } from '../../../db/schema/games/game-players.ts'
import type { Page } from '../../../lib/paging.ts'

export type ReviewRow = Awaited<ReturnType<typeof listReviews>>[number]

const writtenBy = (userUid: string, gameUid: string) =>
  and(eq(reviews.gameUid, gameUid), eq(reviews.userUid, userUid))

const selectReviews = (db: Db) =>
  db
    .select({ review: reviews, person: personColumns, playSeconds: playTimes.seconds })
    .from(reviews)
    .innerJoin(users, eq(users.id, reviews.userUid))
    .leftJoin(playTimes, and(eq(playTimes.userUid, reviews.userUid), eq(playTimes.gameUid, reviews.gameUid)))

export async function listReviews(db: Db, gameUid: string, page: Page) {
  return await selectReviews(db)
    .where(eq(reviews.gameUid, gameUid))
    .orderBy(desc(reviews.createdAt), desc(reviews.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function findReview(db: Db, userUid: string, gameUid: string): Promise<ReviewRow | undefined> {
  return await one(selectReviews(db).where(writtenBy(userUid, gameUid)))
}

/** A review of the listing, locked until the transaction ends. */
export async function lockReview(tx: Transaction, gameUid: string, uid: string) {
  return await one(
    tx
      .select()
      .from(reviews)
      .where(and(eq(reviews.gameUid, gameUid), eq(reviews.uid, uid)))
      .for('update'),
  )
}

/** null removes the answer. */
export async function setAnswer(tx: Transaction, uid: string, answer: string | null): Promise<void> {
  const isNone = answer === null
  await tx
    .update(reviews)
    .set({
      answer,
      answeredAt: isNone ? null : sql`coalesce(${reviews.answeredAt}, now())`,
      answerUpdatedAt: isNone ? null : sql`now()`,
    })
    .where(eq(reviews.uid, uid))
}

export async function findReviewByUid(db: Db, uid: string): Promise<ReviewRow | undefined> {
  return await one(selectReviews(db).where(eq(reviews.uid, uid)))
}

export async function countByRating(db: Db, gameUid: string): Promise<Map<number, number>> {
  const rows = await db
    .select({ rating: reviews.rating, count: count() })
    .from(reviews)
    .where(eq(reviews.gameUid, gameUid))
    .groupBy(reviews.rating)
  return new Map(rows.map(({ rating, count }) => [rating, count]))
}

/** The reviews of each game, their stars, and how many of them rate it at least `from`; games without any are omitted. */
export async function listRatings(db: Db, gameUids: readonly string[], from: number) {
  return await db
    .select({
      gameUid: reviews.gameUid,
      reviews: count(),
      stars: sum(reviews.rating).mapWith(Number),
      recommendations: sql<number>`count(*) filter (where ${gte(reviews.rating, from)})::int`,
    })
    .from(reviews)
    .where(anyOf(reviews.gameUid, gameUids))
    .groupBy(reviews.gameUid)
}

/** One review per player and game, also under concurrent requests. Returns true when it was inserted. */
export async function upsertReview(
  db: Db,
  values: Pick<typeof reviews.$inferInsert, 'userUid' | 'gameUid' | 'rating' | 'text'>,
): Promise<boolean> {
  const [row] = await db
    .insert(reviews)
    .values(values)
    .onConflictDoUpdate({
      target: [reviews.gameUid, reviews.userUid],
      set: { rating: values.rating, text: values.text, updatedAt: sql`now()` },
    })
    // xmax is set only on a row that existed before and was locked by the update.
    .returning({ isNew: sql<boolean>`xmax = 0` })
  return row?.isNew ?? false
}

export async function deleteReview(db: Db, userUid: string, gameUid: string): Promise<boolean> {
  return await changed(db.delete(reviews).where(writtenBy(userUid, gameUid)))
}
