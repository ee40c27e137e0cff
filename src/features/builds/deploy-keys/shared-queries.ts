import { and, asc, desc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'

import { type Db, pageOf } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { channelMoves } from '../../../db/schema/builds.ts'
import { deployKeys } from '../../../db/schema/deploy-keys.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'

/** Keys that people issued. Keys of trusted publishers are excluded, because they expire by themselves. */
const issuedFor = (gameUid: string) => and(eq(deployKeys.gameUid, gameUid), isNull(deployKeys.expiresAt))

export async function revokeIssuedPairs(db: Db, gameUid: string): Promise<void> {
  await db
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(and(issuedFor(gameUid), isNull(deployKeys.revokedAt)))
}

export async function insertKey(db: Db, values: typeof deployKeys.$inferInsert): Promise<void> {
  await db.insert(deployKeys).values(values)
}

/** Every channel that points at the build or once did. */
export async function listReleasesOf(db: Db, buildUid: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ channel: channelMoves.channel })
    .from(channelMoves)
    .where(eq(channelMoves.toBuildUid, buildUid))
    .orderBy(asc(channelMoves.channel))
  return rows.map(({ channel }) => channel)
}

/** Includes who issued each key, and whether that person still is the owner or an accepted admin. */
export async function listKeys(db: Db, gameUid: string, page: Page) {
  const query = db
    .select({
      key: deployKeys,
      username: users.username,
      hasAccess: sql<boolean>`${or(eq(games.ownerUid, deployKeys.issuedBy), isNotNull(gameAdmins.acceptedAt))}`,
    })
    .from(deployKeys)
    .innerJoin(games, eq(games.uid, deployKeys.gameUid))
    .leftJoin(users, eq(users.id, deployKeys.issuedBy))
    .leftJoin(
      gameAdmins,
      and(eq(gameAdmins.gameUid, deployKeys.gameUid), eq(gameAdmins.userUid, deployKeys.issuedBy)),
    )
    .where(issuedFor(gameUid))
    .orderBy(desc(deployKeys.uid))
  return await pageOf(query, db.$count(deployKeys, issuedFor(gameUid)), page)
}
