import { and, asc, desc, eq } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { gameDependencies, gameSimilarTitles } from '../../../db/schema/games/game-relations.ts'
import { games } from '../../../db/schema/games/games.ts'

const shownGame = {
  uid: games.uid,
  vanity_name: games.vanityName,
  name: games.name,
  asset_type: games.assetType,
}
const isPublic = eq(games.visibility, 'public')

/** The public listings it depends on, in the order of its developers. */
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
    .select({ ...shownGame, tagline: games.tagline, adult: games.adult })
    .from(gameSimilarTitles)
    .innerJoin(games, eq(games.uid, gameSimilarTitles.similarUid))
    .where(and(eq(gameSimilarTitles.gameUid, gameUid), isPublic))
    .orderBy(asc(gameSimilarTitles.position))
}
