import { eq } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { bugReporters } from '../../../db/schema/bugs.ts'

export type ReporterRow = typeof bugReporters.$inferSelect

export async function findReporter(db: Db, gameUid: string): Promise<ReporterRow | undefined> {
  const [row] = await db.select().from(bugReporters).where(eq(bugReporters.gameUid, gameUid))
  return row
}

/** The settings do not change until the transaction ends; others can lock them in the same way. */
export async function lockReporter(tx: Transaction, gameUid: string): Promise<ReporterRow | undefined> {
  const [row] = await tx.select().from(bugReporters).where(eq(bugReporters.gameUid, gameUid)).for('share')
  return row
}

export async function saveReporter(tx: Transaction, row: ReporterRow): Promise<void> {
  const { gameUid: target } = bugReporters
  await tx.insert(bugReporters).values(row).onConflictDoUpdate({ target, set: row })
}

export async function isEmailVerified(db: Db, userUid: string): Promise<boolean> {
  const [row] = await db.select({ is: users.emailVerified }).from(users).where(eq(users.id, userUid))
  return row?.is ?? false
}
