import { and, eq, ne } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { accounts } from '../../../db/schema/accounts.ts'

/** How the library names the account's own password. */
const PASSWORD = 'credential'

/** The providers that sign in to the account, and since when. */
export async function listConnections(db: Db, userUid: string): Promise<Map<string, Date>> {
  const rows = await db
    .select({ providerId: accounts.providerId, createdAt: accounts.createdAt })
    .from(accounts)
    .where(and(eq(accounts.userId, userUid), ne(accounts.providerId, PASSWORD)))
    .orderBy(accounts.createdAt)
  return new Map(rows.map(({ providerId, createdAt }) => [providerId, createdAt]))
}

export async function deleteConnection(tx: Transaction, userUid: string, provider: string): Promise<boolean> {
  const rows = await tx
    .delete(accounts)
    .where(
      and(eq(accounts.userId, userUid), eq(accounts.providerId, provider), ne(accounts.providerId, PASSWORD)),
    )
    .returning({ id: accounts.id })
  return rows.length > 0
}

/** Password and providers together. */
export async function countSignIns(db: Db, userUid: string): Promise<number> {
  return await db.$count(accounts, eq(accounts.userId, userUid))
}
