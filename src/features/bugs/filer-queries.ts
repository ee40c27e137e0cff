import { and, eq, isNotNull } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { bugReporters } from '../../db/schema/bugs.ts'
import { games } from '../../db/schema/games/games.ts'

export async function findLinkedAccount(db: Db, userUid: string): Promise<string | null> {
  const [row] = await db.select({ extstoreId: users.extstoreId }).from(users).where(eq(users.id, userUid))
  return row?.extstoreId ?? null
}

export interface ReportedGame {
  uid: string
}

/** A game whose reporter was set up, or any game. */
export async function findReportedGame(
  db: Db,
  uid: string,
  isAny: boolean,
): Promise<ReportedGame | undefined> {
  const [row] = await db
    .select({ uid: games.uid })
    .from(games)
    .leftJoin(bugReporters, eq(bugReporters.gameUid, games.uid))
    .where(and(eq(games.uid, uid), isAny ? undefined : isNotNull(bugReporters.gameUid)))
  return row
}
