import { and, asc, desc, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'

import { changed, type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { apps, builds, files } from '../../../db/schema/builds.ts'
import { games } from '../../../db/schema/games/games.ts'
import { pageReports } from '../../../db/schema/operate.ts'
import { posts } from '../../../db/schema/posts.ts'
import type { ReportState } from '../../../domain/reports.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

export interface ListingSearch {
  /** Empty for all. */
  q: string
  takenDownOnly: boolean
}

export type ListingRow = Awaited<ReturnType<typeof selectGames>>[number]
export type FileRow = Awaited<ReturnType<typeof listFiles>>[number]
export type PostRow = Awaited<ReturnType<typeof selectPosts>>[number]

const shown = {
  uid: games.uid,
  vanityName: games.vanityName,
  name: games.name,
  assetType: games.assetType,
  visibility: games.visibility,
  takenDown: games.takenDown,
  createdAt: games.createdAt,
  ownerUid: games.ownerUid,
  person: personColumns,
  isOwnerSuspended: sql<boolean>`${users.suspendedAt} is not null`,
  openReports: sql<number>`(
    select count(*)::int from ${pageReports} where game_uid = ${games.uid} and state = 'open')`,
}

function selectGames(db: Db) {
  return db.select(shown).from(games).innerJoin(users, eq(users.id, games.ownerUid))
}

function matching({ q, takenDownOnly }: ListingSearch): SQL | undefined {
  return and(takenDownOnly ? isNotNull(games.takenDown) : undefined, q === '' ? undefined : namedBy(q))
}

function namedBy(q: string): SQL | undefined {
  const hasFile = (condition: SQL) =>
    sql`exists (select 1 from ${files} where ${files.gameUid} = ${games.uid} and ${condition})`
  if (isUid(q)) return or(eq(games.uid, q), hasFile(eq(files.uid, q)))
  if (/^[0-9a-f]{64}$/i.test(q)) return hasFile(eq(files.checksum, q.toLowerCase()))
  const contains = (column: SQL | typeof games.name) => sql`position(lower(${q}) in lower(${column})) > 0`
  return or(contains(games.name), contains(sql`${games.vanityName}`), contains(sql`${users.username}`))
}

const ownedGames = sql`${games} inner join ${users} on ${users.id} = ${games.ownerUid}`

/** The newest first. */
export async function listGames(db: Db, search: ListingSearch, page: Page) {
  const where = matching(search)
  return await pageOf(
    selectGames(db).where(where).orderBy(desc(games.uid)),
    db.$count(ownedGames, where),
    page,
  )
}

export async function findGame(db: Db, uid: string): Promise<ListingRow | undefined> {
  return await one(selectGames(db).where(eq(games.uid, uid)))
}

export async function listFiles(db: Db, gameUid: string, limit: number) {
  const { version, os, arch } = builds
  return await db
    .select({ file: files, build: { version, os, arch, app: apps.slug, appName: apps.name } })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .where(eq(files.gameUid, gameUid))
    .orderBy(desc(files.uid))
    .limit(limit)
}

/** The object keys of clean files, for which download links may have been signed. */
export async function listCleanKeys(tx: Transaction, gameUid: string): Promise<string[]> {
  const rows = await tx
    .select({ key: files.objectKey })
    .from(files)
    .where(and(eq(files.gameUid, gameUid), eq(files.scan, 'clean')))
  return rows.map(({ key }) => key)
}

export type ReportRow = Awaited<ReturnType<typeof selectReports>>[number]

const reportColumns = {
  report: pageReports,
  person: personColumns,
  vanityName: games.vanityName,
  name: games.name,
  isTakenDown: sql<boolean>`${games.takenDown} is not null`,
  post: {
    uid: posts.uid,
    title: posts.title,
    slug: posts.slug,
    isTakenDown: sql<boolean>`${posts.takenDown} is not null`,
  },
}

function selectReports(db: Db) {
  return db
    .select(reportColumns)
    .from(pageReports)
    .innerJoin(games, eq(games.uid, pageReports.gameUid))
    .innerJoin(users, eq(users.id, pageReports.userUid))
    .leftJoin(posts, eq(posts.uid, pageReports.postUid))
}

/** Open reports oldest first, closed ones newest first. */
export async function listReports(db: Db, state: ReportState, page: Page) {
  const direction = state === 'open' ? asc : desc
  const ordered = selectReports(db)
    .where(eq(pageReports.state, state))
    .orderBy(direction(pageReports.createdAt), direction(pageReports.uid))
  return await pageOf(ordered, countReports(db, state), page)
}

export async function countReports(db: Db, state: ReportState): Promise<number> {
  return await db.$count(pageReports, eq(pageReports.state, state))
}

export async function findReport(db: Db, uid: string): Promise<ReportRow | undefined> {
  return await one(selectReports(db).where(eq(pageReports.uid, uid)))
}

/** Returns whether it was open. */
export async function closeReport(tx: Transaction, uid: string, state: ReportState): Promise<boolean> {
  return await changed(
    tx
      .update(pageReports)
      .set({ state })
      .where(and(eq(pageReports.uid, uid), eq(pageReports.state, 'open'))),
  )
}

export async function resolveReportsOf(tx: Transaction, gameUid: string): Promise<void> {
  await tx
    .update(pageReports)
    .set({ state: 'resolved' })
    .where(and(eq(pageReports.gameUid, gameUid), eq(pageReports.state, 'open')))
}

const askedAt = sql`${games.pendingPublication} ->> 'at'`

/** Oldest request first. */
export async function listWaiting(db: Db, page: Page) {
  const ordered = db
    .select({ game: games, person: personColumns })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(isNotNull(games.pendingPublication))
    .orderBy(asc(askedAt), asc(games.uid))
  return await pageOf(ordered, countWaiting(db), page)
}

export async function countWaiting(db: Db): Promise<number> {
  return await db.$count(games, isNotNull(games.pendingPublication))
}

function selectPosts(db: Db) {
  return db
    .select({
      post: posts,
      game: { uid: games.uid, vanityName: games.vanityName, name: games.name, ownerUid: games.ownerUid },
      person: personColumns,
      openReports: sql<number>`(
        select count(*)::int from ${pageReports} where post_uid = ${posts.uid} and state = 'open')`,
    })
    .from(posts)
    .innerJoin(games, eq(games.uid, posts.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
}

export async function findPost(db: Db, uid: string): Promise<PostRow | undefined> {
  return await one(selectPosts(db).where(eq(posts.uid, uid)))
}

export async function resolveReportsOfPost(tx: Transaction, postUid: string): Promise<void> {
  await tx
    .update(pageReports)
    .set({ state: 'resolved' })
    .where(and(eq(pageReports.postUid, postUid), eq(pageReports.state, 'open')))
}
