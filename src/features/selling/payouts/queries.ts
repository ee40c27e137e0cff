import { and, eq, isNull, sql } from 'drizzle-orm'

import type { AccountState } from '../../../clients/stripe/payments.ts'
import { changed, type Db, one } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { payoutAccounts } from '../../../db/schema/selling.ts'

export type AccountRow = typeof payoutAccounts.$inferSelect

/** The state of an account before onboarding, or after it was deleted at Stripe. */
export const NO_STATE: AccountState = {
  chargesEnabled: false,
  payoutsEnabled: false,
  submitted: false,
  missing: [],
}

export async function findAccount(db: Db, userUid: string): Promise<AccountRow | undefined> {
  return await one(db.select().from(payoutAccounts).where(eq(payoutAccounts.userUid, userUid)))
}

/** Ignores accounts of suspended developers. */
export async function findSellingAccount(db: Db, userUid: string): Promise<AccountRow | undefined> {
  const row = await one(
    db
      .select({ account: payoutAccounts })
      .from(payoutAccounts)
      .innerJoin(users, eq(users.id, payoutAccounts.userUid))
      .where(and(eq(payoutAccounts.userUid, userUid), isNull(users.suspendedAt))),
  )
  return row?.account
}

export async function findAccountById(db: Db, accountId: string): Promise<AccountRow | undefined> {
  return await one(db.select().from(payoutAccounts).where(eq(payoutAccounts.accountId, accountId)))
}

/** Does nothing if the user has an account. */
export async function insertAccount(db: Db, userUid: string, accountId: string): Promise<void> {
  await db.insert(payoutAccounts).values({ userUid, accountId }).onConflictDoNothing()
}

/** Replaces an account that no longer exists at Stripe, unless another request has replaced it. */
export async function replaceAccount(db: Db, gone: AccountRow, accountId: string): Promise<void> {
  await db
    .update(payoutAccounts)
    .set({ accountId, ...NO_STATE, goneAt: null, revision: sql`${payoutAccounts.revision} + 1` })
    .where(and(eq(payoutAccounts.userUid, gone.userUid), eq(payoutAccounts.accountId, gone.accountId)))
}

/** Returns false if the account has changed since it was read. */
export async function updateAccount(
  db: Db,
  { userUid, revision }: AccountRow,
  state: AccountState & Pick<AccountRow, 'goneAt'>,
): Promise<boolean> {
  return await changed(
    db
      .update(payoutAccounts)
      .set({ ...state, revision: sql`${payoutAccounts.revision} + 1` })
      .where(and(eq(payoutAccounts.userUid, userUid), eq(payoutAccounts.revision, revision))),
  )
}

/** The public listings of a developer, whose pages show whether they are for sale. */
export async function listPublicGames(db: Db, ownerUid: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(games)
    .where(and(eq(games.ownerUid, ownerUid), eq(games.visibility, 'public')))
    .limit(limit)
  return rows.map(({ uid }) => uid)
}
