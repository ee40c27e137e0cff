import { asc, eq, isNotNull, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'

const askedAt = sql`${games.pendingPublication} ->> 'at'`

/** Who waits longest comes first. */
export async function listWaiting(db: Db, page: Page) {
  return await db
    .select({ game: games, username: users.username })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(isNotNull(games.pendingPublication))
    .orderBy(asc(askedAt), asc(games.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countWaiting(db: Db): Promise<number> {
  return await db.$count(games, isNotNull(games.pendingPublication))
}
