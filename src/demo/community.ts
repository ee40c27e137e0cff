import { and, eq, inArray } from 'drizzle-orm'

import type { Transaction } from '../db/client.ts'
import { notify } from '../db/notify/notify.ts'
import { developerFollows, gameFollows } from '../db/schema/follows.ts'
import { reviews } from '../db/schema/games/game-players.ts'
import { posts } from '../db/schema/posts.ts'
import type { Deps } from '../deps.ts'
import { FOLLOWS_CHANGED } from '../features/community/follows/service.ts'
import { BOXES } from '../features/listings/images/model.ts'
import { type ProcessedImage, processImage } from '../features/listings/images/process.ts'
import { storeAttached } from '../features/listings/images/service.ts'
import { ANSWERS, DEMO_NAMES, FOLLOWERS, POSTS } from './data.ts'
import { type DemoKnown, loadDemoKnown } from './known.ts'
import { insertNotices } from './notices.ts'
import { openPicture } from './pictures.ts'
import { daysBefore, lockDemo, uidAt } from './queries.ts'

/** Adds posts, answers to reviews, who follows what, and what they are told. Does nothing once there are posts. */
export async function loadDemoCommunity(deps: Deps): Promise<void> {
  const pictures = await loadPostPictures()
  await deps.db.transaction(async (tx) => {
    await lockDemo(tx)
    const known = await loadDemoKnown(tx)
    const uids = DEMO_NAMES.flatMap((name) => known.gameOf(name)?.uid ?? [])
    if ((await tx.$count(posts, inArray(posts.gameUid, uids))) > 0) return
    await insertPosts(deps, tx, known, pictures)
    await insertAnswers(tx, known)
    await insertFollows(tx, known)
    await insertNotices(tx, known, uids)
  })
}

/** By slug. */
async function loadPostPictures(): Promise<Map<string, ProcessedImage>> {
  const pictures = new Map<string, ProcessedImage>()
  for (const { slug, picture } of POSTS) {
    const [folder, name] = picture?.split('/') ?? []
    if (folder === undefined || name === undefined) continue
    const bytes = await openPicture(folder, name).bytes()
    pictures.set(slug, await processImage(bytes, BOXES.post, 'image/webp'))
  }
  return pictures
}

async function insertPosts(
  deps: Deps,
  tx: Transaction,
  { now, gameOf }: DemoKnown,
  pictures: ReadonlyMap<string, ProcessedImage>,
): Promise<void> {
  for (const { game: name, daysAgo, slug, title, kind, pinned, markdown, state = 'published' } of POSTS) {
    const game = gameOf(name)
    if (!game) continue
    const createdAt = daysBefore(now, daysAgo)
    const at = state === 'published' ? createdAt : null
    const picture = pictures.get(slug)
    await tx.insert(posts).values({
      slug,
      title,
      kind,
      pinned,
      uid: uidAt(createdAt),
      gameUid: game.uid,
      markdown: markdown.join('\n'),
      state,
      publishedAt: at,
      sentAt: at,
      pictureUid: picture ? await storeAttached(deps, tx, game.uid, 'post', picture) : null,
      createdAt,
      updatedAt: createdAt,
    })
  }
}

async function insertAnswers(tx: Transaction, { now, gameOf, personOf }: DemoKnown): Promise<void> {
  for (const { game: name, reviewer, daysAgo, text } of ANSWERS) {
    const [game, userUid, at] = [gameOf(name), personOf(reviewer), daysBefore(now, daysAgo)]
    if (!game || userUid === undefined) continue
    await tx
      .update(reviews)
      .set({ answer: text, answeredAt: at, answerUpdatedAt: at })
      .where(and(eq(reviews.gameUid, game.uid), eq(reviews.userUid, userUid)))
  }
}

/** What people follow already stays as they chose it. */
async function insertFollows(tx: Transaction, { now, gameOf, personOf }: DemoKnown): Promise<void> {
  const ofGames: (typeof gameFollows.$inferInsert)[] = []
  const ofDevelopers: (typeof developerFollows.$inferInsert)[] = []
  for (const { who, daysAgo, games: followed, developers, wishes } of FOLLOWERS) {
    const userUid = personOf(who)
    if (userUid === undefined) continue
    const createdAt = daysBefore(now, daysAgo)
    for (const name of followed) {
      const game = gameOf(name)
      if (game) ofGames.push({ userUid, gameUid: game.uid, createdAt })
    }
    for (const [index, { game: name, wishedPriceCents }] of wishes.entries()) {
      const game = gameOf(name)
      if (!game) continue
      ofGames.push({
        userUid,
        gameUid: game.uid,
        releases: false,
        posts: false,
        wish: true,
        position: index + 1,
        wishedPriceCents: wishedPriceCents ?? game.priceCents,
        wishedAt: createdAt,
        createdAt,
      })
    }
    for (const name of developers) {
      const developerUid = personOf(name)
      if (developerUid !== undefined) ofDevelopers.push({ userUid, developerUid, createdAt })
    }
  }
  if (ofGames.length > 0) await tx.insert(gameFollows).values(ofGames).onConflictDoNothing()
  if (ofDevelopers.length > 0) await tx.insert(developerFollows).values(ofDevelopers).onConflictDoNothing()
  const followers = new Set([...ofGames, ...ofDevelopers].map(({ userUid }) => userUid))
  await notify(tx, FOLLOWS_CHANGED, ...followers)
}
