import { and, eq, inArray, sql } from 'drizzle-orm'

import type { Transaction } from '../db/client.ts'
import { notify } from '../db/notify/notify.ts'
import { builds } from '../db/schema/builds.ts'
import { reviews } from '../db/schema/games/game-players.ts'
import { games } from '../db/schema/games/games.ts'
import { noticeEvents } from '../db/schema/notices.ts'
import { posts } from '../db/schema/posts.ts'
import { postPath } from '../domain/site-urls.ts'
import { NOTICE_RECORDED } from '../features/games/notice-events.ts'
import { formatDollars } from '../lib/text/show.ts'
import { PRICE_CUTS } from './data.ts'
import type { DemoKnown } from './known.ts'
import { daysBefore, uidAt } from './queries.ts'

type EventValues = typeof noticeEvents.$inferInsert

/** Tells followers what the demo says has happened, at the time when it did. */
export async function insertNotices(
  tx: Transaction,
  known: DemoKnown,
  gameUids: readonly string[],
): Promise<void> {
  await dateReleases(tx, gameUids)
  const events = [
    ...(await planPosts(tx, gameUids)),
    ...(await planNewGames(tx, gameUids)),
    ...(await planAnswers(tx, gameUids)),
    ...planPriceCuts(known),
  ]
  if (events.length > 0) await tx.insert(noticeEvents).values(events).onConflictDoNothing()
  await notify(tx, NOTICE_RECORDED, ...gameUids, ...events.flatMap(({ userUid }) => userUid ?? []))
}

/** Loading the builds told of all of them at once. */
async function dateReleases(tx: Transaction, gameUids: readonly string[]): Promise<void> {
  const isOfDemo = inArray(noticeEvents.gameUid, [...gameUids])
  await tx
    .update(noticeEvents)
    .set({ at: sql`${builds.createdAt}`, burstAt: sql`${builds.createdAt}` })
    .from(builds)
    .where(
      and(
        isOfDemo,
        eq(noticeEvents.kind, 'release'),
        eq(builds.gameUid, noticeEvents.gameUid),
        sql`${builds.version} = ${noticeEvents.facts} ->> 'version' and ${builds.os} = any(${noticeEvents.platforms})`,
      ),
    )
  await tx
    .update(noticeEvents)
    .set({ at: sql`${games.publishedAt}`, burstAt: sql`${games.publishedAt}` })
    .from(games)
    .where(
      and(
        isOfDemo,
        eq(noticeEvents.kind, 'released'),
        eq(games.uid, noticeEvents.gameUid),
        sql`${games.publishedAt} is not null`,
      ),
    )
}

async function planPosts(tx: Transaction, gameUids: readonly string[]): Promise<EventValues[]> {
  const rows = await tx
    .select({ post: posts, ownerUid: games.ownerUid, vanityName: games.vanityName })
    .from(posts)
    .innerJoin(games, eq(games.uid, posts.gameUid))
    .where(and(inArray(posts.gameUid, [...gameUids]), eq(posts.state, 'published')))
  return rows.map(({ post: { uid, gameUid, slug, title, createdAt }, ownerUid, vanityName }) => ({
    ...when(createdAt),
    kind: 'post',
    gameUid,
    developerUid: ownerUid,
    postUid: uid,
    facts: { title, path: postPath(vanityName, slug) },
    onceKey: `post ${uid}`,
  }))
}

async function planNewGames(tx: Transaction, gameUids: readonly string[]): Promise<EventValues[]> {
  const rows = await tx
    .select()
    .from(games)
    .where(and(inArray(games.uid, [...gameUids]), eq(games.visibility, 'public')))
  return rows.map(({ uid, ownerUid, name, tagline, publishedAt, createdAt }) => ({
    ...when(publishedAt ?? createdAt),
    kind: 'new_game',
    gameUid: uid,
    developerUid: ownerUid,
    facts: { title: name, text: tagline },
    onceKey: `new_game ${uid}`,
  }))
}

async function planAnswers(tx: Transaction, gameUids: readonly string[]): Promise<EventValues[]> {
  const rows = await tx
    .select({ review: reviews, ownerUid: games.ownerUid, name: games.name, vanityName: games.vanityName })
    .from(reviews)
    .innerJoin(games, eq(games.uid, reviews.gameUid))
    .where(and(inArray(reviews.gameUid, [...gameUids]), sql`${reviews.answer} is not null`))
  return rows.map(({ review, ownerUid, name, vanityName }) => ({
    ...when(review.answeredAt ?? review.createdAt),
    kind: 'review_answer',
    gameUid: review.gameUid,
    developerUid: ownerUid,
    userUid: review.userUid,
    facts: {
      title: name,
      text: review.answer ?? '',
      path: `/games/${vanityName}/reviews#review-${review.uid}`,
    },
    onceKey: `review_answer ${review.uid}`,
  }))
}

function planPriceCuts({ now, gameOf }: DemoKnown): EventValues[] {
  return PRICE_CUTS.flatMap(({ game: name, oldCents, daysAgo }) => {
    const game = gameOf(name)
    if (!game || game.priceCents >= oldCents) return []
    return [
      {
        ...when(daysBefore(now, daysAgo)),
        kind: 'price' as const,
        gameUid: game.uid,
        developerUid: game.ownerUid,
        facts: {
          title: `Now ${formatDollars(game.priceCents)}`,
          text: `It was ${formatDollars(oldCents)} before.`,
          price_cents: game.priceCents,
          old_price_cents: oldCents,
        },
      },
    ]
  })
}

function when(at: Date): Pick<EventValues, 'uid' | 'at' | 'burstAt'> {
  return { uid: uidAt(at), at, burstAt: at }
}
