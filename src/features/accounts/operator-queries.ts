import { and, asc, eq, isNotNull } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'

const shown = {
  uid: users.id,
  email: users.email,
  username: users.username,
  emailVerified: users.emailVerified,
}

export async function listOperators(db: Db) {
  return await db.select(shown).from(users).where(eq(users.operator, true)).orderBy(asc(users.email))
}

export async function updateOperator(db: Db, email: string, operator: boolean) {
  const [row] = await db.update(users).set({ operator }).where(eq(users.email, email)).returning(shown)
  return row
}

export async function updateSuspension(
  db: Db,
  uid: string,
  suspension: { at: Date; reason: string | null } | null,
): Promise<void> {
  await db
    .update(users)
    .set({ suspendedAt: suspension?.at ?? null, suspendedReason: suspension?.reason ?? null })
    .where(eq(users.id, uid))
}

export async function isSuspended(db: Db, uid: string): Promise<boolean> {
  return (await db.$count(users, and(eq(users.id, uid), isNotNull(users.suspendedAt)))) > 0
}
