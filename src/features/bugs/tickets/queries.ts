import { and, desc, eq, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { bugScreenshots, bugTicketEvents, bugTickets } from '../../../db/schema/bugs.ts'
import type { TicketStatus } from '../../../domain/bugs.ts'
import type { Page } from '../../../lib/paging.ts'

export type TicketRow = Awaited<ReturnType<typeof listTickets>>[number]
export type EventRow = typeof bugTicketEvents.$inferSelect

/** Without the log, which can be large. */
const selectTickets = (db: Db) =>
  db
    .select({
      uid: bugTickets.uid,
      gameUid: bugTickets.gameUid,
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

const isListed = (gameUid: string, status: TicketStatus | undefined) =>
  and(eq(bugTickets.gameUid, gameUid), status && eq(bugTickets.status, status))

export async function listTickets(db: Db, gameUid: string, status: TicketStatus | undefined, page: Page) {
  return await selectTickets(db)
    .where(isListed(gameUid, status))
    .orderBy(desc(bugTickets.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countTickets(
  db: Db,
  gameUid: string,
  status: TicketStatus | undefined,
): Promise<number> {
  return await db.$count(bugTickets, isListed(gameUid, status))
}

export async function findTicket(db: Db, gameUid: string, uid: string): Promise<TicketRow | undefined> {
  const [row] = await selectTickets(db).where(and(eq(bugTickets.uid, uid), eq(bugTickets.gameUid, gameUid)))
  return row
}

export async function findLog(db: Db, uid: string): Promise<string | null> {
  const [row] = await db.select({ log: bugTickets.log }).from(bugTickets).where(eq(bugTickets.uid, uid))
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
