import { and, asc, count, desc, eq, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { pageReports } from '../../../db/schema/page-reports.ts'
import type { ReportState } from '../../../domain/reports.ts'
import type { Page } from '../../../lib/paging.ts'

export type ReportRow = Awaited<ReturnType<typeof listReports>>[number]

const shown = {
  report: pageReports,
  username: users.username,
  vanityName: games.vanityName,
  name: games.name,
  isTakenDown: sql<boolean>`${games.takenDown} is not null`,
}

function selectReports(db: Db) {
  return db
    .select(shown)
    .from(pageReports)
    .innerJoin(games, eq(games.uid, pageReports.gameUid))
    .innerJoin(users, eq(users.id, pageReports.userUid))
    .$dynamic()
}

/** Open ones in the order they came, closed ones newest first. */
export async function listReports(db: Db, state: ReportState, page: Page) {
  const direction = state === 'open' ? asc : desc
  return await selectReports(db)
    .where(eq(pageReports.state, state))
    .orderBy(direction(pageReports.createdAt), direction(pageReports.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countReports(db: Db, state: ReportState): Promise<number> {
  const [row] = await db.select({ count: count() }).from(pageReports).where(eq(pageReports.state, state))
  return row?.count ?? 0
}

export async function findReport(db: Db, uid: string): Promise<ReportRow | undefined> {
  const [row] = await selectReports(db).where(eq(pageReports.uid, uid))
  return row
}

/** Returns whether it was open. */
export async function closeReport(tx: Transaction, uid: string, state: ReportState): Promise<boolean> {
  const rows = await tx
    .update(pageReports)
    .set({ state })
    .where(and(eq(pageReports.uid, uid), eq(pageReports.state, 'open')))
    .returning({ uid: pageReports.uid })
  return rows.length > 0
}

export async function resolveReportsOf(tx: Transaction, gameUid: string): Promise<void> {
  await tx
    .update(pageReports)
    .set({ state: 'resolved' })
    .where(and(eq(pageReports.gameUid, gameUid), eq(pageReports.state, 'open')))
}
