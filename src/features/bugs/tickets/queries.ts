import { and, desc, eq, isNull, sql } from 'drizzle-orm'

import { anyOf, countChanged, type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { bugNotices, bugScreenshots, bugTicketEvents, bugTickets } from '../../../db/schema/bugs.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { TicketStatus } from '../../../domain/bugs.ts'
import type { Page } from '../../../lib/paging.ts'
import { type Filer, isFiledBy } from '../shared-queries.ts'

export type TicketRow = NonNullable<Awaited<ReturnType<typeof findTicket>>>
type EventRow = typeof bugTicketEvents.$inferSelect

/** Without the log, which can be large. */
const selectTickets = (db: Db) =>
  db
    .select({
      uid: bugTickets.uid,
      gameUid: bugTickets.gameUid,
      userUid: bugTickets.userUid,
      extstoreId: bugTickets.extstoreId,
      source: bugTickets.source,
      status: bugTickets.status,
      message: bugTickets.message,
      clientVersion: bugTickets.clientVersion,
      os: bugTickets.os,
      arch: bugTickets.arch,
      buildId: bugTickets.buildId,
      fixedInVersion: bugTickets.fixedInVersion,
      createdAt: bugTickets.createdAt,
      updatedAt: bugTickets.updatedAt,
      hasLog: sql<boolean>`${bugTickets.log} is not null`,
      screenshotKey: bugScreenshots.objectKey,
      username: users.username,
    })
    .from(bugTickets)
    .leftJoin(bugScreenshots, eq(bugScreenshots.ticketUid, bugTickets.uid))
    .leftJoin(users, eq(users.id, bugTickets.userUid))

export async function listTickets(db: Db, gameUid: string, status: TicketStatus | undefined, page: Page) {
  const isListed = and(eq(bugTickets.gameUid, gameUid), status && eq(bugTickets.status, status))
  return await pageOf(
    selectTickets(db).where(isListed).orderBy(desc(bugTickets.uid)),
    db.$count(bugTickets, isListed),
    page,
  )
}

export async function findTicket(db: Db, gameUid: string, uid: string) {
  return await one(selectTickets(db).where(and(eq(bugTickets.uid, uid), eq(bugTickets.gameUid, gameUid))))
}

export async function findLog(db: Db, uid: string): Promise<string | null> {
  const row = await one(db.select({ log: bugTickets.log }).from(bugTickets).where(eq(bugTickets.uid, uid)))
  return row?.log ?? null
}

export async function updateTicket(
  tx: Transaction,
  uid: string,
  values: Pick<TicketRow, 'status' | 'fixedInVersion'>,
): Promise<void> {
  await tx
    .update(bugTickets)
    .set({ ...values, updatedAt: new Date() })
    .where(eq(bugTickets.uid, uid))
}

export async function insertEvent(
  tx: Transaction,
  values: typeof bugTicketEvents.$inferInsert,
): Promise<void> {
  await tx.insert(bugTicketEvents).values(values)
}

export async function listEvents(db: Db, ticketUid: string): Promise<EventRow[]> {
  return await db
    .select()
    .from(bugTicketEvents)
    .where(eq(bugTicketEvents.ticketUid, ticketUid))
    .orderBy(bugTicketEvents.uid)
}

export type NoticeRow = Awaited<ReturnType<typeof listUnread>>[number]

const isUnread = isNull(bugNotices.acknowledgedAt)

/** Newest first; of one game, or of all. A hidden game has the name that it had when the filer got it. */
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
  return await countChanged(
    db
      .update(bugNotices)
      .set({ acknowledgedAt: sql`now()` })
      .where(and(anyOf(bugNotices.uid, uids), isUnread, sql`${bugNotices.ticketUid} in (${own})`)),
  )
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

export async function findScreenshot(db: Db, objectKey: string) {
  return await one(db.select().from(bugScreenshots).where(eq(bugScreenshots.objectKey, objectKey)))
}
