import { and, asc, desc, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'

import { anyOf, type Db, inserted, one, pageOf, type Transaction } from '../../../db/client.ts'
import { promotionRequests } from '../../../db/schema/approvals.ts'
import { changelogEntries, images } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { posts } from '../../../db/schema/posts.ts'
import type { PostState } from '../../../domain/posts.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

export type PostRow = typeof posts.$inferSelect
export type NewPost = typeof posts.$inferInsert

const { objectKey, width, height } = images
const withPicture = { post: posts, picture: { objectKey, width, height } }

const selectPosts = (db: Db) =>
  db.select(withPicture).from(posts).leftJoin(images, eq(images.uid, posts.pictureUid))

export type ShownRow = Awaited<ReturnType<typeof listNewest>>[number]

const isPublic = () => and(eq(posts.state, 'published'), isNull(posts.takenDown))

const NEWEST_FIRST = [desc(posts.publishedAt), desc(posts.uid)] as const

const ORDERS: Readonly<Record<PostState | 'all', readonly SQL[]>> = {
  all: [desc(posts.uid)],
  draft: [desc(posts.updatedAt), desc(posts.uid)],
  scheduled: [asc(posts.publishAt), asc(posts.uid)],
  published: NEWEST_FIRST,
}

/** Those of one state in the order in which they are worked on; all of them newest first. */
export async function pagePosts(
  db: Db,
  gameUid: string,
  state: PostState | null,
  page: Page,
): Promise<Paged<ShownRow>> {
  const which = and(eq(posts.gameUid, gameUid), state === null ? undefined : eq(posts.state, state))
  const ordered = selectPosts(db)
    .where(which)
    .orderBy(...ORDERS[state ?? 'all'])
  return await pageOf(ordered, db.$count(posts, which), page)
}

export async function findPost(db: Db, gameUid: string, uid: string): Promise<ShownRow | undefined> {
  return await one(selectPosts(db).where(and(eq(posts.gameUid, gameUid), eq(posts.uid, uid))))
}

export async function findGameOf(db: Db, uid: string): Promise<string | undefined> {
  const row = await one(db.select({ gameUid: posts.gameUid }).from(posts).where(eq(posts.uid, uid)))
  return row?.gameUid
}

export async function pagePublic(db: Db, gameUid: string, page: Page): Promise<Paged<ShownRow>> {
  const which = and(eq(posts.gameUid, gameUid), isPublic())
  const ordered = selectPosts(db)
    .where(which)
    .orderBy(...NEWEST_FIRST)
  return await pageOf(ordered, db.$count(posts, which), page)
}

export async function findPublic(db: Db, gameUid: string, slug: string): Promise<ShownRow | undefined> {
  return await one(selectPosts(db).where(and(eq(posts.gameUid, gameUid), eq(posts.slug, slug), isPublic())))
}

/** The newest public posts, the pinned one before all others. */
export async function listNewest(db: Db, gameUid: string, limit: number) {
  return await selectPosts(db)
    .where(and(eq(posts.gameUid, gameUid), isPublic()))
    .orderBy(desc(posts.pinned), ...NEWEST_FIRST)
    .limit(limit)
}

/** The public ones among these. */
export async function listPublicByUid(db: Db, uids: readonly string[]): Promise<ShownRow[]> {
  return await selectPosts(db).where(and(anyOf(posts.uid, uids), isPublic()))
}

const NEWS_PARTS = ['posts', 'releases'] as const
export type NewsPart = (typeof NEWS_PARTS)[number]

/** Public posts and changelog entries in one line of time, newest first. */
export async function pageNews(
  db: Db,
  gameUid: string,
  parts: readonly NewsPart[],
  page: Page,
): Promise<Paged<{ uid: string; part: NewsPart }>> {
  const tables: Readonly<Record<NewsPart, SQL>> = {
    posts: sql`select uid, 'posts' as part, published_at as at from ${posts}
      where game_uid = ${gameUid} and state = 'published' and taken_down is null`,
    releases: sql`select uid, 'releases' as part, created_at as at from ${changelogEntries}
      where game_uid = ${gameUid}`,
  }
  const all = sql.join(
    parts.map((part) => tables[part]),
    sql` union all `,
  )
  const [items, [counted]] = await Promise.all([
    db.execute<{ uid: string; part: NewsPart }>(
      sql`select uid, part from (${all}) as news order by at desc, uid desc limit ${page.page_size} offset ${page.offset}`,
    ),
    db.execute<{ total: number }>(sql`select count(*)::int as total from (${all}) as news`),
  ])
  return { items: [...items], total: counted?.total ?? 0, page: page.page, page_size: page.page_size }
}

export interface NewestOf {
  /** Only of this developer's listings; null: of all. */
  ownerUid: string | null
  withAdult: boolean
  limit: number
}

/** The newest public posts of public listings. */
export async function listNewestOf(db: Db, { ownerUid, withAdult, limit }: NewestOf) {
  return await db
    .select({ ...withPicture, game: { vanityName: games.vanityName, name: games.name, adult: games.adult } })
    .from(posts)
    .innerJoin(games, eq(games.uid, posts.gameUid))
    .leftJoin(images, eq(images.uid, posts.pictureUid))
    .where(
      and(
        isPublic(),
        eq(games.visibility, 'public'),
        ownerUid === null ? undefined : eq(games.ownerUid, ownerUid),
        withAdult ? undefined : eq(games.adult, false),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(limit)
}

export async function countUnpublished(db: Db, gameUid: string): Promise<number> {
  return await db.$count(posts, and(eq(posts.gameUid, gameUid), ne(posts.state, 'published')))
}

/** Those of the slugs that posts of the listing have. */
export async function listTakenSlugs(db: Db, gameUid: string, slugs: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ slug: posts.slug })
    .from(posts)
    .where(and(eq(posts.gameUid, gameUid), inArray(posts.slug, [...slugs])))
  return rows.map(({ slug }) => slug)
}

export async function insertPost(tx: Transaction, values: NewPost): Promise<PostRow> {
  return await inserted(tx.insert(posts).values(values).returning())
}

/** Increments the revision, which If-Match is compared with. */
export async function updatePost(tx: Transaction, uid: string, values: Partial<NewPost>): Promise<PostRow> {
  return await inserted(
    tx
      .update(posts)
      .set({ ...values, revision: sql`${posts.revision} + 1`, updatedAt: sql`now()` })
      .where(eq(posts.uid, uid))
      .returning(),
  )
}

/** The time of the first publication stays. An edit of the post as it was before is refused by its revision. */
export async function markPublished(tx: Transaction, uid: string, isSent: boolean): Promise<PostRow> {
  return await inserted(
    tx
      .update(posts)
      .set({
        state: 'published',
        publishedAt: sql`coalesce(${posts.publishedAt}, clock_timestamp())`,
        revision: sql`${posts.revision} + 1`,
        ...(isSent && { sentAt: sql`clock_timestamp()` }),
      })
      .where(eq(posts.uid, uid))
      .returning(),
  )
}

export async function unpinOthers(tx: Transaction, gameUid: string, uid: string): Promise<void> {
  await tx
    .update(posts)
    .set({ pinned: false })
    .where(and(eq(posts.gameUid, gameUid), eq(posts.pinned, true), ne(posts.uid, uid)))
}

export async function setPicture(tx: Transaction, uid: string, pictureUid: string | null): Promise<void> {
  await tx.update(posts).set({ pictureUid }).where(eq(posts.uid, uid))
}

export async function setTakenDown(
  tx: Transaction,
  uid: string,
  takenDown: PostRow['takenDown'],
): Promise<void> {
  await tx.update(posts).set({ takenDown }).where(eq(posts.uid, uid))
}

export async function deletePost(tx: Transaction, uid: string): Promise<void> {
  await tx.delete(posts).where(eq(posts.uid, uid))
}

const isDue = () =>
  and(eq(posts.state, 'scheduled'), isNull(posts.takenDown), sql`${posts.publishAt} <= clock_timestamp()`)

export type DuePost = Pick<PostRow, 'uid' | 'gameUid' | 'publishAt'>

/** Posts whose time has come, the oldest first. */
export async function listDue(db: Db, after: DuePost | null, limit: number): Promise<DuePost[]> {
  const isLater =
    after &&
    sql`(${posts.publishAt}, ${posts.uid}) > (${after.publishAt?.toISOString()}::timestamptz, ${after.uid}::uuid)`
  return await db
    .select({ uid: posts.uid, gameUid: posts.gameUid, publishAt: posts.publishAt })
    .from(posts)
    .where(and(isDue(), isLater ?? undefined))
    .orderBy(asc(posts.publishAt), asc(posts.uid))
    .limit(limit)
}

/** undefined unless its time has come. */
export async function findDue(db: Db, uid: string): Promise<PostRow | undefined> {
  return await one(
    db
      .select()
      .from(posts)
      .where(and(eq(posts.uid, uid), isDue())),
  )
}

/** Open requests to publish a post, after which the text was changed. */
export async function deleteOpenRequests(tx: Transaction, uid: string): Promise<void> {
  await tx
    .delete(promotionRequests)
    .where(and(eq(promotionRequests.postUid, uid), isNull(promotionRequests.decidedAt)))
}
