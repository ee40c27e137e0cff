import { and, asc, eq, isNotNull, isNull, or } from 'drizzle-orm'

import { anyOf } from '../../db/any-of.ts'
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

export async function listConfirmedAddresses(db: Db, named: readonly string[]): Promise<string[]> {
  const isNamed = or(eq(users.operator, true), anyOf(users.email, named))
  const rows = await db
    .select({ email: users.email })
    .from(users)
    .where(and(isNamed, eq(users.emailVerified, true), isNull(users.suspendedAt)))
    .orderBy(asc(users.email))
  return rows.map(({ email }) => email)
}

export async function updateOperator(db: Db, email: string, operator: boolean) {
  const [row] = await db.update(users).set({ operator }).where(eq(users.email, email)).returning(shown)
  return row
}

export async function confirmOperator(db: Db, email: string) {
  const values = { operator: true, emailVerified: true }
  const [row] = await db.update(users).set(values).where(eq(users.email, email)).returning(shown)
  return row
}

/** Returns whether that changed anything. */
export async function suspendUser(db: Db, uid: string, reason: string | null): Promise<boolean> {
  const rows = await db
    .update(users)
    .set({ suspendedAt: new Date(), suspendedReason: reason })
    .where(and(eq(users.id, uid), isNull(users.suspendedAt)))
    .returning({ id: users.id })
  return rows.length > 0
}

/** Returns whether that changed anything. */
export async function restoreUser(db: Db, uid: string): Promise<boolean> {
  const rows = await db
    .update(users)
    .set({ suspendedAt: null, suspendedReason: null })
    .where(and(eq(users.id, uid), isNotNull(users.suspendedAt)))
    .returning({ id: users.id })
  return rows.length > 0
}

export async function isSuspended(db: Db, uid: string): Promise<boolean> {
  return (await db.$count(users, and(eq(users.id, uid), isNotNull(users.suspendedAt)))) > 0
}
