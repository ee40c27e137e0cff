import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'

import { anyOf, changed, type Db, one } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { builds } from '../../../db/schema/builds.ts'
import { developerFollows, feedKeys, gameFollows } from '../../../db/schema/follows.ts'
import { changelogEntries, images, releaseNotes } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { posts } from '../../../db/schema/posts.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'

export type NewsPart = 'release' | 'post' | 'game'

export interface NewsRef {
  uid: string
  part: NewsPart
}

const isPublished = sql`${posts.state} = 'published' and ${posts.takenDown} is null`
const release = sql`select ${changelogEntries.uid} as uid, 'release' as part, ${changelogEntries.createdAt} as at`
const post = sql`select ${posts.uid} as uid, 'post' as part, ${posts.publishedAt} as at`
const game = sql`select ${games.uid} as uid, 'game' as part, ${games.publishedAt} as at`

/** The same piece of news through several ways counts once. */
async function newest(db: Db, parts: readonly SQL[], limit: number): Promise<NewsRef[]> {
  const all = sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union `,
  )
  const rows = await db.execute<{ uid: string; part: NewsPart }>(
    sql`select uid, part from (${all}) as news order by at desc, uid desc limit ${limit}`,
  )
  return rows.map(({ uid, part }) => ({ uid, part }))
}

const newestReleases = (of: SQL, limit: number) =>
  sql`${release} from ${changelogEntries} where ${of} order by ${changelogEntries.uid} desc limit ${limit}`
const newestPosts = (of: SQL, limit: number) =>
  sql`${post} from ${posts} where ${of} and ${isPublished}
    order by ${posts.publishedAt} desc, ${posts.uid} desc limit ${limit}`

/** Releases and posts of one listing. */
export async function listNewsOfGame(
  db: Db,
  gameUid: string,
  only: readonly NewsPart[],
  limit: number,
): Promise<NewsRef[]> {
  return await newest(
    db,
    [
      ...(only.includes('release') ? [newestReleases(eq(changelogEntries.gameUid, gameUid), limit)] : []),
      ...(only.includes('post') ? [newestPosts(eq(posts.gameUid, gameUid), limit)] : []),
    ],
    limit,
  )
}

/** New listings of a developer, and releases and posts of all that are public and not adult. */
export async function listNewsOfDeveloper(db: Db, ownerUid: string, limit: number): Promise<NewsRef[]> {
  const isTheirs = sql`${games.ownerUid} = ${ownerUid} and ${games.visibility} = 'public' and not ${games.adult}`
  return await newest(
    db,
    [
      sql`select news.* from ${games} cross join lateral (
        ${newestReleases(sql`${changelogEntries.gameUid} = ${games.uid}`, limit)}) as news where ${isTheirs}`,
      sql`select news.* from ${games} cross join lateral (
        ${newestPosts(sql`${posts.gameUid} = ${games.uid}`, limit)}) as news where ${isTheirs}`,
      sql`${game} from ${games} where ${isTheirs} order by ${games.publishedAt} desc, ${games.uid} desc limit ${limit}`,
    ],
    limit,
  )
}

/** Releases for the systems that the follower chose; entries that no build made fit everybody. */
const fits = sql`(cardinality(${gameFollows.platforms}) = 0
  or not exists (select 1 from ${releaseNotes} where ${releaseNotes.entryUid} = ${changelogEntries.uid})
  or exists (select 1 from ${releaseNotes}
    join ${builds} on ${builds.gameUid} = ${releaseNotes.gameUid} and ${builds.version} = ${releaseNotes.version}
    where ${releaseNotes.entryUid} = ${changelogEntries.uid} and ${builds.os} = any(${gameFollows.platforms})))`

/** What a person follows, as they narrowed it, without listings that they may not open. */
export async function listNewsOfFollower(
  db: Db,
  userUid: string,
  withAdult: boolean,
  limit: number,
): Promise<NewsRef[]> {
  const shown = withAdult ? sql`` : sql`and not ${games.adult}`
  const followed = sql`from ${gameFollows} join ${games} on ${games.uid} = ${gameFollows.gameUid}
    and ${inArray(games.visibility, OPEN_VISIBILITIES)} ${shown}`
  const developed = sql`from ${developerFollows} join ${games} on ${games.ownerUid} = ${developerFollows.developerUid}
    and ${games.visibility} = 'public' ${shown}`
  return await newest(
    db,
    [
      sql`select news.* ${followed} cross join lateral (
        ${newestReleases(sql`${changelogEntries.gameUid} = ${games.uid} and ${fits}`, limit)}) as news
        where ${gameFollows.userUid} = ${userUid} and ${gameFollows.releases}`,
      sql`select news.* ${followed} cross join lateral (
        ${newestPosts(sql`${posts.gameUid} = ${games.uid}`, limit)}) as news
        where ${gameFollows.userUid} = ${userUid} and ${gameFollows.posts}`,
      sql`select news.* ${developed} cross join lateral (
        ${newestPosts(sql`${posts.gameUid} = ${games.uid}`, limit)}) as news
        where ${developerFollows.userUid} = ${userUid} and ${developerFollows.posts}`,
      sql`${game} ${developed} where ${developerFollows.userUid} = ${userUid} and ${developerFollows.newGames}`,
    ],
    limit,
  )
}

const about = {
  game: {
    uid: games.uid,
    vanityName: games.vanityName,
    name: games.name,
    adult: games.adult,
    tagline: games.tagline,
  },
  developer: personColumns,
}

export async function listReleases(db: Db, uids: readonly string[]) {
  return await db
    .select({ entry: changelogEntries, ...about })
    .from(changelogEntries)
    .innerJoin(games, eq(games.uid, changelogEntries.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(anyOf(changelogEntries.uid, uids))
}

export async function listPosts(db: Db, uids: readonly string[]) {
  return await db
    .select({ post: posts, pictureKey: images.objectKey, ...about })
    .from(posts)
    .innerJoin(games, eq(games.uid, posts.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .leftJoin(images, eq(images.uid, posts.pictureUid))
    .where(and(anyOf(posts.uid, uids), eq(posts.state, 'published'), isNull(posts.takenDown)))
}

export async function listNewGames(db: Db, uids: readonly string[]) {
  return await db
    .select({ ...about, description: games.description, publishedAt: games.publishedAt })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(anyOf(games.uid, uids), eq(games.visibility, 'public')))
}

/** Suspended accounts have no feed. */
export async function findFeedOwner(db: Db, keyHash: string) {
  return await one(
    db
      .select({ uid: users.id, adultContent: users.adultContent })
      .from(feedKeys)
      .innerJoin(users, eq(users.id, feedKeys.userUid))
      .where(and(eq(feedKeys.keyHash, keyHash), isNull(users.suspendedAt))),
  )
}

export async function findFeedKey(db: Db, userUid: string) {
  return await one(
    db.select({ createdAt: feedKeys.createdAt }).from(feedKeys).where(eq(feedKeys.userUid, userUid)),
  )
}

/** The former key stops working. */
export async function replaceFeedKey(db: Db, userUid: string, keyHash: string): Promise<void> {
  await db
    .insert(feedKeys)
    .values({ userUid, keyHash })
    .onConflictDoUpdate({ target: feedKeys.userUid, set: { keyHash, createdAt: sql`now()` } })
}

export async function deleteFeedKey(db: Db, userUid: string): Promise<boolean> {
  return await changed(db.delete(feedKeys).where(eq(feedKeys.userUid, userUid)))
}
