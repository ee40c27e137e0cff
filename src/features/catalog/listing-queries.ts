import { and, asc, desc, eq, inArray } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { gameDependencies, gameSimilarTitles } from '../../db/schema/game-relations.ts'
import { games } from '../../db/schema/games.ts'

const shownGame = {
  uid: games.uid,
  vanity_name: games.vanityName,
  name: games.name,
  asset_type: games.assetType,
}
const isPublic = eq(games.visibility, 'public')

/** The public listings it depends on, in the order its makers gave them. */
export async function listUses(db: Db, gameUid: string) {
  return await db
    .select({ kind: gameDependencies.kind, ...shownGame })
    .from(gameDependencies)
    .innerJoin(games, eq(games.uid, gameDependencies.targetUid))
    .where(and(eq(gameDependencies.gameUid, gameUid), isPublic))
    .orderBy(asc(gameDependencies.position))
}

/** The public listings that depend on it, newest first. */
export async function listUsedBy(db: Db, gameUid: string, limit: number) {
  return await db
    .select({ kind: gameDependencies.kind, ...shownGame })
    .from(gameDependencies)
    .innerJoin(games, eq(games.uid, gameDependencies.gameUid))
    .where(and(eq(gameDependencies.targetUid, gameUid), isPublic))
    .orderBy(desc(games.publishedAt), desc(games.uid), asc(gameDependencies.kind))
    .limit(limit)
}

export async function listSimilarTitles(db: Db, gameUid: string) {
  return await db
    .select({ ...shownGame, tagline: games.tagline })
    .from(gameSimilarTitles)
    .innerJoin(games, eq(games.uid, gameSimilarTitles.similarUid))
    .where(and(eq(gameSimilarTitles.gameUid, gameUid), isPublic))
    .orderBy(asc(gameSimilarTitles.position))
}

/** What tells whether a kept page is still the current one. */
export async function listPageStates(db: Db, uids: readonly string[]) {
  return await db
    .select({
      uid: games.uid,
      visibility: games.visibility,
      updatedAt: games.updatedAt,
      username: users.username,
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(inArray(games.uid, uids))
}
