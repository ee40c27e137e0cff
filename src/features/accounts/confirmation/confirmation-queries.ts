import { and, eq, isNotNull } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { accounts, sessions } from '../../../db/schema/accounts.ts'

/** Returns false for a session that has ended. */
export async function setConfirmed(db: Db, sessionUid: string, at: Date): Promise<boolean> {
  const rows = await db
    .update(sessions)
    .set({ confirmedAt: at })
    .where(eq(sessions.id, sessionUid))
    .returning({ id: sessions.id })
  return rows.length > 0
}

export async function hasPassword(db: Db, userUid: string): Promise<boolean> {
  const isOwn = and(eq(accounts.userId, userUid), eq(accounts.providerId, 'credential'))
  return (await db.$count(accounts, and(isOwn, isNotNull(accounts.password)))) > 0
}
