import { and, asc, count, desc, eq, inArray, like, not, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { tagCounts } from '../../../db/schema/games/game-tags.ts'
import { games } from '../../../db/schema/games/games.ts'
import { type ChildKind, MODDING_TYPES } from '../../../domain/listings/listing.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

/** The uid makes the order stable for listings published at the same moment. */
const newest = [desc(games.publishedAt), desc(games.uid)]

function childrenOf(parentUid: string, kind: ChildKind | null) {
  const isMod = inArray(games.assetType, MODDING_TYPES)
  return and(
    eq(games.parentUid, parentUid),
    eq(games.visibility, 'public'),
    kind === null ? undefined : kind === 'mod' ? isMod : not(isMod),
  )
}

export async function listChildren(
  db: Db,
  parentUid: string,
  kind: ChildKind | null,
  page: Page,
): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(games)
    .where(childrenOf(parentUid, kind))
    .orderBy(...newest)
    .limit(page.page_size)
    .offset(page.offset)
  return rows.map(({ uid }) => uid)
}

export async function countChildren(db: Db, parentUid: string, kind: ChildKind | null): Promise<number> {
  const [row] = await db.select({ count: count() }).from(games).where(childrenOf(parentUid, kind))
  return row?.count ?? 0
}

/** `ref` is a uid or a username. */
export async function findDeveloper(db: Db, ref: string) {
  const [row] = await db
    .select({ uid: users.id, username: users.username, createdAt: users.createdAt })
    .from(users)
    .where(isUid(ref) ? eq(users.id, ref) : eq(users.username, ref))
  return row
}

/** Counts a developer's public listings: all of them, and those that are not adult. */
export async function countPublished(db: Db, ownerUid: string): Promise<{ all: number; mild: number }> {
  const [row] = await db
    .select({ all: count(), mild: sql<number>`count(*) filter (where not ${games.adult})::integer` })
    .from(games)
    .where(and(eq(games.ownerUid, ownerUid), eq(games.visibility, 'public')))
  return row ?? { all: 0, mild: 0 }
}

export async function listPublished(
  db: Db,
  ownerUid: string,
  withAdult: boolean,
  page: Page,
): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(games)
    .where(
      and(
        eq(games.ownerUid, ownerUid),
        eq(games.visibility, 'public'),
        withAdult ? undefined : eq(games.adult, false),
      ),
    )
    .orderBy(...newest)
    .limit(page.page_size)
    .offset(page.offset)
  return rows.map(({ uid }) => uid)
}

/** The prefix consists of tag characters only, so it needs no escaping for LIKE. */
export async function listPopularTags(
  db: Db,
  prefix: string,
  limit: number,
): Promise<{ tag: string; count: number }[]> {
  return await db
    .select()
    .from(tagCounts)
    .where(prefix === '' ? undefined : like(tagCounts.tag, `${prefix}%`))
    .orderBy(sql`${tagCounts.count} desc nulls last`, asc(tagCounts.tag))
    .limit(limit)
}
