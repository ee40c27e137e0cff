import { and, asc, eq, or } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { gameDependencies, gameSimilarTitles } from '../../../db/schema/games/game-relations.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { DependencyKind } from '../../../domain/listings/listing.ts'
import { isUid } from '../../../lib/ids.ts'

const ref = {
  uid: games.uid,
  vanity_name: games.vanityName,
  name: games.name,
  asset_type: games.assetType,
}

/** The public listings among these uids and vanity names. */
export async function findPublicGames(db: Db, refs: readonly string[]) {
  const uids = refs.filter(isUid)
  const names = refs.filter((name) => !isUid(name))
  return await db
    .select(ref)
    .from(games)
    .where(and(eq(games.visibility, 'public'), or(anyOf(games.uid, uids), anyOf(games.vanityName, names))))
}

export async function listDependencies(db: Db, gameUid: string) {
  return await db
    .select({ kind: gameDependencies.kind, ...ref })
    .from(gameDependencies)
    .innerJoin(games, eq(games.uid, gameDependencies.targetUid))
    .where(and(eq(gameDependencies.gameUid, gameUid), eq(games.visibility, 'public')))
    .orderBy(asc(gameDependencies.position))
}

export async function listSimilarTitles(db: Db, gameUid: string) {
  return await db
    .select(ref)
    .from(gameSimilarTitles)
    .innerJoin(games, eq(games.uid, gameSimilarTitles.similarUid))
    .where(and(eq(gameSimilarTitles.gameUid, gameUid), eq(games.visibility, 'public')))
    .orderBy(asc(gameSimilarTitles.position))
}

export async function replaceDependencies(
  tx: Transaction,
  gameUid: string,
  links: readonly { kind: DependencyKind; targetUid: string }[],
): Promise<void> {
  await tx.delete(gameDependencies).where(eq(gameDependencies.gameUid, gameUid))
  const rows = links.map((link, position) => ({ ...link, gameUid, position }))
  if (rows.length > 0) await tx.insert(gameDependencies).values(rows)
}

export async function replaceSimilarTitles(
  tx: Transaction,
  gameUid: string,
  similarUids: readonly string[],
): Promise<void> {
  await tx.delete(gameSimilarTitles).where(eq(gameSimilarTitles.gameUid, gameUid))
  const rows = similarUids.map((similarUid, position) => ({ gameUid, similarUid, position }))
  if (rows.length > 0) await tx.insert(gameSimilarTitles).values(rows)
}
