import { and, eq, gte, lt, sql } from 'drizzle-orm'

import { type Db, inserted, type Transaction } from '../../../db/client.ts'
import { bugScreenshots, bugTicketEvents, bugTickets } from '../../../db/schema/bugs.ts'
import { type Filer, isFiledBy } from '../shared-queries.ts'

/** The UTC day of the transaction, by the database's clock. */
const dayStart = sql`(date_trunc('day', now() at time zone 'utc') at time zone 'utc')`
const dayEnd = sql`(${dayStart} + interval '1 day')`

export async function countToday(db: Db, gameUid: string, filer: Filer): Promise<number> {
  return await db.$count(
    bugTickets,
    and(
      eq(bugTickets.gameUid, gameUid),
      isFiledBy(filer),
      gte(bugTickets.createdAt, dayStart),
      lt(bugTickets.createdAt, dayEnd),
    ),
  )
}

/** Serialises the reports of one filer. Locks both accounts, always in the same order. */
export async function lockFiler(
  tx: Transaction,
  gameUid: string,
  { userUid, extstoreId }: Filer,
): Promise<void> {
  for (const account of [userUid, extstoreId]) {
    if (account === null) continue
    const name = `bug report:${gameUid}:${account}`
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
  }
}

/** The time is rounded down to the millisecond, so that the ticket stays on the day it was counted for. */
export async function insertTicket(
  tx: Transaction,
  values: typeof bugTickets.$inferInsert,
): Promise<{ uid: string; createdAt: Date }> {
  const now = sql`date_trunc('milliseconds', now())`
  return await inserted(
    tx
      .insert(bugTickets)
      .values({ ...values, createdAt: now, updatedAt: now })
      .returning({ uid: bugTickets.uid, createdAt: bugTickets.createdAt }),
  )
}

export async function insertScreenshot(
  tx: Transaction,
  values: typeof bugScreenshots.$inferInsert,
): Promise<void> {
  await tx.insert(bugScreenshots).values(values)
}

export async function insertCreation(tx: Transaction, ticketUid: string, by: string): Promise<void> {
  await tx.insert(bugTicketEvents).values({ ticketUid, by, toStatus: 'open' })
}
