import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { reviews } from '../../db/schema/games/game-players.ts'
import { gameDependencies, gameSimilarTitles } from '../../db/schema/games/game-relations.ts'
import { gameAdmins } from '../../db/schema/games/game-team.ts'
import { games, oldVanityNames } from '../../db/schema/games/games.ts'
import { searchChanges } from '../../db/schema/search.ts'
import { OPEN_VISIBILITIES } from '../../domain/listings/visibility.ts'
import { isUid } from '../../lib/ids.ts'

export type GameRow = typeof games.$inferSelect

export interface GameWithRole {
  game: GameRow
  /** Whether the caller is an admin who accepted the invite. */
  isAdmin: boolean
}

/** `ref` is a uid or a vanity name. */
const named = (ref: string) => (isUid(ref) ? eq(games.uid, ref) : eq(games.vanityName, ref))

export async function findGameWithRole(
  db: Db,
  ref: string,
  userUid: string,
  lock: boolean,
): Promise<GameWithRole | undefined> {
  const query = db
    .select({ game: games, adminUid: gameAdmins.uid })
    .from(games)
    .leftJoin(
      gameAdmins,
      and(
        eq(gameAdmins.gameUid, games.uid),
        eq(gameAdmins.userUid, userUid),
        isNotNull(gameAdmins.acceptedAt),
      ),
    )
    .where(named(ref))
  // The weaker lock: rows that reference the listing can still be inserted.
  const [row] = await (lock ? query.for('no key update', { of: games }) : query)
  return row && { game: row.game, isAdmin: row.adminUid !== null }
}

export async function findOpenGame(db: Db, ref: string): Promise<GameRow | undefined> {
  const [row] = await db
    .select()
    .from(games)
    .where(and(named(ref), inArray(games.visibility, OPEN_VISIBILITIES)))
  return row
}

/** The current name of an open listing that was renamed from `name`. */
export async function findCurrentName(db: Db, name: string): Promise<string | undefined> {
  const [row] = await db
    .select({ vanityName: games.vanityName })
    .from(oldVanityNames)
    .innerJoin(games, eq(games.uid, oldVanityNames.gameUid))
    .where(and(eq(oldVanityNames.name, name), inArray(games.visibility, OPEN_VISIBILITIES)))
  return row?.vanityName
}

export async function touchGame(db: Db, uid: string): Promise<void> {
  await db.update(games).set({ updatedAt: new Date() }).where(eq(games.uid, uid))
}

/** Every listing whose page shows this one: its parent, its children, and both ends of its links. */
export async function listNeighbours(db: Db, uid: string, limit: number): Promise<string[]> {
  const rows = await db.execute<{ uid: string }>(sql`
    select distinct uid from (
      select parent_uid as uid from ${games} where uid = ${uid}
      union all select uid from ${games} where parent_uid = ${uid}
      union all select target_uid from ${gameDependencies} where game_uid = ${uid}
      union all select game_uid from ${gameDependencies} where target_uid = ${uid}
      union all select game_uid from ${gameSimilarTitles} where similar_uid = ${uid}
    ) as near where uid is not null limit ${limit}`)
  return rows.map((row) => row.uid)
}

/** Every page that shows the name of this account: its own, those around them, and those it reviewed. */
export async function listPagesNaming(db: Db, userUid: string, limit: number): Promise<string[]> {
  const rows = await db.execute<{ uid: string }>(sql`
    with own as (select uid, parent_uid from ${games} where owner_uid = ${userUid})
    select distinct uid from (
      select uid from own
      union all select parent_uid from own
      union all select child.uid from ${games} as child join own on child.parent_uid = own.uid
      union all select target_uid from ${gameDependencies} join own on game_uid = own.uid
      union all select game_uid from ${gameDependencies} join own on target_uid = own.uid
      union all select game_uid from ${gameSimilarTitles} join own on similar_uid = own.uid
      union all select game_uid from ${reviews} where user_uid = ${userUid}
    ) as naming where uid is not null limit ${limit}`)
  return rows.map((row) => row.uid)
}

export async function insertSearchChange(db: Db, gameUid: string): Promise<void> {
  await db.insert(searchChanges).values({ gameUid })
}

export async function insertSearchChangesOf(db: Db, ownerUid: string): Promise<void> {
  const isListed = and(eq(games.ownerUid, ownerUid), eq(games.visibility, 'public'))
  const listed = db.select({ gameUid: games.uid }).from(games).where(isListed)
  await db.execute(sql`insert into ${searchChanges} (game_uid) ${listed}`)
}
