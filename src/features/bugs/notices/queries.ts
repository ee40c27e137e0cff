import { and, desc, eq, isNull, sql } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { bugNotices, bugTickets } from '../../../db/schema/bugs.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Filer } from '../filer-model.ts'
import { isFiledBy } from '../shared-queries.ts'

export type NoticeRow = Awaited<ReturnType<typeof listUnread>>[number]

const isUnread = isNull(bugNotices.acknowledgedAt)

/** Newest first; of one game, or of all. The name is the one that the filer may know. */
export async function listUnread(db: Db, filer: Filer, gameUid: string | null, limit: number) {
  return await db
    .select({
      notice: bugNotices,
      message: bugTickets.message,
      gameName: sql<string | null>`case when ${games.visibility} in ('public', 'invisible') then ${games.name}
        else ${licenses.gameName} end`,
    })
    .from(bugNotices)
    .innerJoin(bugTickets, eq(bugTickets.uid, bugNotices.ticketUid))
    .innerJoin(games, eq(games.uid, bugTickets.gameUid))
    .leftJoin(licenses, and(eq(licenses.gameUid, games.uid), eq(licenses.userUid, bugTickets.userUid)))
    .where(and(isFiledBy(filer), isUnread, gameUid === null ? undefined : eq(bugTickets.gameUid, gameUid)))
    .orderBy(desc(bugNotices.fixedAt), desc(bugNotices.uid))
    .limit(limit)
}

/** Returns how many were unread. Notices of others are left alone. */
export async function acknowledge(
  db: Db,
  filer: Filer,
  gameUid: string | null,
  uids: readonly string[],
): Promise<number> {
  const own = db
    .select({ uid: bugTickets.uid })
    .from(bugTickets)
    .where(and(isFiledBy(filer), gameUid === null ? undefined : eq(bugTickets.gameUid, gameUid)))
  const rows = await db
    .update(bugNotices)
    .set({ acknowledgedAt: sql`now()` })
    .where(and(anyOf(bugNotices.uid, uids), isUnread, sql`${bugNotices.ticketUid} in (${own})`))
    .returning({ uid: bugNotices.uid })
  return rows.length
}

export async function insertNotice(
  tx: Transaction,
  ticketUid: string,
  fixedInVersion: string | null,
): Promise<void> {
  await tx.insert(bugNotices).values({ ticketUid, fixedInVersion })
}

/** An unread notice names the current version. */
export async function updateUnread(
  tx: Transaction,
  ticketUid: string,
  fixedInVersion: string | null,
): Promise<void> {
  await tx
    .update(bugNotices)
    .set({ fixedInVersion })
    .where(and(eq(bugNotices.ticketUid, ticketUid), isUnread))
}

export async function deleteUnread(tx: Transaction, ticketUid: string): Promise<void> {
  await tx.delete(bugNotices).where(and(eq(bugNotices.ticketUid, ticketUid), isUnread))
}
