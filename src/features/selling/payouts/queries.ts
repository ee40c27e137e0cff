import { and, eq, isNull, sql } from 'drizzle-orm'

import type { AccountState } from '../../../clients/stripe/payments.ts'
import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { payoutAccounts } from '../../../db/schema/selling/payout-accounts.ts'

export type AccountRow = typeof payoutAccounts.$inferSelect

/** Of an account that nobody has answered a question for, or that is gone. */
export const NOTHING_YET: AccountState = {
  chargesEnabled: false,
  payoutsEnabled: false,
  submitted: false,
  missing: [],
}

export async function findAccount(db: Db, userUid: string): Promise<AccountRow | undefined> {
  const [row] = await db.select().from(payoutAccounts).where(eq(payoutAccounts.userUid, userUid))
  return row
}

/** Of a developer who is not suspended. */
export async function findSellingAccount(db: Db, userUid: string): Promise<AccountRow | undefined> {
  const [row] = await db
    .select({ account: payoutAccounts })
    .from(payoutAccounts)
    .innerJoin(users, eq(users.id, payoutAccounts.userUid))
    .where(and(eq(payoutAccounts.userUid, userUid), isNull(users.suspendedAt)))
  return row?.account
}

export async function findAccountById(db: Db, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await db.select().from(payoutAccounts).where(eq(payoutAccounts.accountId, accountId))
  return row
}

/** The first one stays. */
export async function insertAccount(db: Db, userUid: string, accountId: string): Promise<void> {
  await db.insert(payoutAccounts).values({ userUid, accountId }).onConflictDoNothing()
}

/** Another one instead of an account that is gone, unless that happened meanwhile. */
export async function replaceAccount(db: Db, gone: AccountRow, accountId: string): Promise<void> {
  await db
    .update(payoutAccounts)
    .set({ accountId, ...NOTHING_YET, goneAt: null, revision: sql`${payoutAccounts.revision} + 1` })
    .where(and(eq(payoutAccounts.userUid, gone.userUid), eq(payoutAccounts.accountId, gone.accountId)))
}

/** Returns false when it changed since it was read. */
export async function updateAccount(
  db: Db,
  { userUid, revision }: AccountRow,
  state: AccountState & Pick<AccountRow, 'goneAt'>,
): Promise<boolean> {
  const rows = await db
    .update(payoutAccounts)
    .set({ ...state, revision: sql`${payoutAccounts.revision} + 1` })
    .where(and(eq(payoutAccounts.userUid, userUid), eq(payoutAccounts.revision, revision)))
    .returning({ userUid: payoutAccounts.userUid })
  return rows.length > 0
}

/** The pages that say whether they are for sale. */
export async function listPublicGames(db: Db, ownerUid: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(games)
    .where(and(eq(games.ownerUid, ownerUid), eq(games.visibility, 'public')))
    .limit(limit)
  return rows.map(({ uid }) => uid)
}
