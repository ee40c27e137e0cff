import { and, asc, count, desc, eq, exists, inArray, sql } from 'drizzle-orm'

import { anyOf, type Db } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { developerFollows, gameFollows } from '../../../db/schema/follows.ts'
import { games } from '../../../db/schema/games/games.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'
import type { FollowPart, FollowWindow } from './model.ts'

export interface FollowFilter {
  userUid: string
  part: FollowPart
  withAdult: boolean
  /** Leaves out what only people who know the address can open. */
  isPublicOnly?: boolean
  /** Only this listing. */
  gameUid?: string
}

function isShown({ userUid, part, withAdult, isPublicOnly = false, gameUid }: FollowFilter) {
  return and(
    gameUid === undefined ? undefined : eq(gameFollows.gameUid, gameUid),
    eq(gameFollows.userUid, userUid),
    isPublicOnly ? eq(games.visibility, 'public') : inArray(games.visibility, OPEN_VISIBILITIES),
    withAdult ? undefined : eq(games.adult, false),
    part === 'wishes' ? eq(gameFollows.wish, true) : undefined,
    part === 'follows'
      ? sql`(${gameFollows.releases} or ${gameFollows.posts} or not ${gameFollows.wish})`
      : undefined,
  )
}

export async function listGameFollows(db: Db, filter: FollowFilter, { limit, offset }: FollowWindow) {
  const order =
    filter.part === 'wishes'
      ? [asc(gameFollows.position), asc(gameFollows.gameUid)]
      : [desc(gameFollows.createdAt), desc(gameFollows.gameUid)]
  return await db
    .select({ follow: gameFollows, priceCents: games.priceCents })
    .from(gameFollows)
    .innerJoin(games, eq(games.uid, gameFollows.gameUid))
    .where(isShown(filter))
    .orderBy(...order)
    .limit(limit)
    .offset(offset)
}

export async function countGameFollows(db: Db, filter: FollowFilter): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(gameFollows)
    .innerJoin(games, eq(games.uid, gameFollows.gameUid))
    .where(isShown(filter))
  return row?.count ?? 0
}

/** Developers without a public listing have no page. */
const isDeveloperShown = (db: Db, userUid: string, developerUid?: string) =>
  and(
    developerUid === undefined ? undefined : eq(developerFollows.developerUid, developerUid),
    eq(developerFollows.userUid, userUid),
    exists(
      db
        .select({ uid: games.uid })
        .from(games)
        .where(and(eq(games.ownerUid, developerFollows.developerUid), eq(games.visibility, 'public'))),
    ),
  )

export async function listDeveloperFollows(
  db: Db,
  userUid: string,
  { limit, offset }: FollowWindow,
  developerUid?: string,
) {
  return await db
    .select({ follow: developerFollows, person: { uid: users.id, ...personColumns } })
    .from(developerFollows)
    .innerJoin(users, eq(users.id, developerFollows.developerUid))
    .where(isDeveloperShown(db, userUid, developerUid))
    .orderBy(desc(developerFollows.createdAt), desc(developerFollows.developerUid))
    .limit(limit)
    .offset(offset)
}

export async function countDeveloperFollows(db: Db, userUid: string): Promise<number> {
  return await db.$count(developerFollows, isDeveloperShown(db, userUid))
}

/** The newest public listing of each of these people. */
export async function listNewestOf(db: Db, ownerUids: readonly string[], withAdult: boolean) {
  return await db
    .selectDistinctOn([games.ownerUid], { uid: games.uid, ownerUid: games.ownerUid })
    .from(games)
    .where(
      and(
        anyOf(games.ownerUid, ownerUids),
        eq(games.visibility, 'public'),
        withAdult ? undefined : eq(games.adult, false),
      ),
    )
    .orderBy(games.ownerUid, desc(games.publishedAt), desc(games.uid))
}
