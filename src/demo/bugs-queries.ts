import { and, eq, notExists } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import {
  bugDeliveries,
  bugDeliveryAttempts,
  bugNotices,
  bugReporters,
  bugScreenshots,
  bugTicketEvents,
  bugTickets,
} from '../db/schema/bugs.ts'
import { games } from '../db/schema/games/games.ts'

export interface BugRows {
  reporter: typeof bugReporters.$inferInsert
  tickets: (typeof bugTickets.$inferInsert)[]
  screenshots: (typeof bugScreenshots.$inferInsert)[]
  events: (typeof bugTicketEvents.$inferInsert)[]
  notices: (typeof bugNotices.$inferInsert)[]
  deliveries: (typeof bugDeliveries.$inferInsert)[]
  attempts: (typeof bugDeliveryAttempts.$inferInsert)[]
}

/** The listing, if this developer owns it and its bug reporter was never set up. */
export async function findUnreported(db: Db, vanityName: string, email: string): Promise<string | undefined> {
  const reporters = db.select().from(bugReporters).where(eq(bugReporters.gameUid, games.uid))
  const [row] = await db
    .select({ uid: games.uid })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(eq(games.vanityName, vanityName), eq(users.email, email), notExists(reporters)))
  return row?.uid
}

export async function insertBugs(tx: Transaction, rows: BugRows): Promise<void> {
  await tx.insert(bugReporters).values(rows.reporter)
  await tx.insert(bugTickets).values(rows.tickets)
  await tx.insert(bugScreenshots).values(rows.screenshots)
  await tx.insert(bugTicketEvents).values(rows.events)
  await tx.insert(bugNotices).values(rows.notices)
  await tx.insert(bugDeliveries).values(rows.deliveries)
  await tx.insert(bugDeliveryAttempts).values(rows.attempts)
}
