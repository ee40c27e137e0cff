import { and, desc, eq, isNotNull, or, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { deployKeys } from '../../../db/schema/deploy-keys.ts'
import { gameAdmins } from '../../../db/schema/games/game-team.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'
import { issuedFor } from './shared-queries.ts'

export type IssuedKeyRow = Awaited<ReturnType<typeof listKeys>>[number]

/** Includes who issued each key, and whether that person still is the owner or an accepted admin. */
export async function listKeys(db: Db, gameUid: string, page: Page) {
  return await db
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
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countKeys(db: Db, gameUid: string): Promise<number> {
  return await db.$count(deployKeys, issuedFor(gameUid))
}
