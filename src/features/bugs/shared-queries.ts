import { and, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'

import { type Db, one } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { bugReporters, bugTickets } from '../../db/schema/bugs.ts'
import { games } from '../../db/schema/games/games.ts'

/** Who reports: an account and the account of the external store that is linked to it count as one. */
export interface Filer {
  userUid: string | null
  extstoreId: string | null
}

/** Tickets that the filer sent, with either account. */
export function isFiledBy({ userUid, extstoreId }: Filer): SQL {
  return (
    or(
      userUid === null ? undefined : eq(bugTickets.userUid, userUid),
      extstoreId === null ? undefined : eq(bugTickets.extstoreId, extstoreId),
    ) ?? sql`false`
  )
}

export async function findLinkedAccount(db: Db, userUid: string): Promise<string | null> {
  const row = await one(db.select({ extstoreId: users.extstoreId }).from(users).where(eq(users.id, userUid)))
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
  return await one(
    db
      .select({ uid: games.uid })
      .from(games)
      .leftJoin(bugReporters, eq(bugReporters.gameUid, games.uid))
      .where(and(eq(games.uid, uid), isAny ? undefined : isNotNull(bugReporters.gameUid))),
  )
}
