import { and, count, desc, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { apps, builds, files } from '../../../db/schema/builds.ts'
import { games } from '../../../db/schema/games/games.ts'
import { pageReports } from '../../../db/schema/page-reports.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

export interface ListingSearch {
  /** Empty for all. */
  q: string
  takenDownOnly: boolean
}

export type ListingRow = Awaited<ReturnType<typeof listGames>>[number]
export type FileRow = Awaited<ReturnType<typeof listFiles>>[number]

const shown = {
  uid: games.uid,
  vanityName: games.vanityName,
  name: games.name,
  assetType: games.assetType,
  visibility: games.visibility,
  takenDown: games.takenDown,
  createdAt: games.createdAt,
  ownerUid: games.ownerUid,
  username: users.username,
  isOwnerSuspended: sql<boolean>`${users.suspendedAt} is not null`,
  openReports: sql<number>`(
    select count(*)::int from ${pageReports} where game_uid = ${games.uid} and state = 'open')`,
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

/** The newest first. */
export async function listGames(db: Db, search: ListingSearch, page: Page) {
  return await db
    .select(shown)
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(matching(search))
    .orderBy(desc(games.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countGames(db: Db, search: ListingSearch): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(matching(search))
  return row?.count ?? 0
}

export async function findGame(db: Db, uid: string): Promise<ListingRow | undefined> {
  const [row] = await db
    .select(shown)
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(eq(games.uid, uid))
  return row
}

export async function listFiles(db: Db, gameUid: string, limit: number) {
  const { version, os, arch } = builds
  return await db
    .select({ file: files, build: { version, os, arch, app: apps.slug, app_name: apps.name } })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .where(eq(files.gameUid, gameUid))
    .orderBy(desc(files.uid))
    .limit(limit)
}

/** The keys that download links were signed for. */
export async function listCleanKeys(tx: Transaction, gameUid: string): Promise<string[]> {
  const rows = await tx
    .select({ key: files.objectKey })
    .from(files)
    .where(and(eq(files.gameUid, gameUid), eq(files.scan, 'clean')))
  return rows.map(({ key }) => key)
}
