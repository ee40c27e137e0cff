import { eq } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { bugReporters } from '../../../db/schema/bugs.ts'

export type ReporterRow = typeof bugReporters.$inferSelect

export async function findReporter(db: Db, gameUid: string): Promise<ReporterRow | undefined> {
  return await one(db.select().from(bugReporters).where(eq(bugReporters.gameUid, gameUid)))
}

/** Takes a share lock, so that the settings do not change until the transaction ends. */
export async function lockReporter(tx: Transaction, gameUid: string): Promise<ReporterRow | undefined> {
  return await one(tx.select().from(bugReporters).where(eq(bugReporters.gameUid, gameUid)).for('share'))
}

export async function saveReporter(tx: Transaction, row: ReporterRow): Promise<void> {
  const { gameUid: target } = bugReporters
  await tx.insert(bugReporters).values(row).onConflictDoUpdate({ target, set: row })
}

export async function isEmailVerified(db: Db, userUid: string): Promise<boolean> {
  const row = await one(db.select({ is: users.emailVerified }).from(users).where(eq(users.id, userUid)))
  return row?.is ?? false
}
