import { and, desc, eq, gt, lte, notInArray, sql } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { games } from '../../../db/schema/games/games.ts'
import { setupTokens } from '../../../db/schema/settings.ts'

export type SetupToken = typeof setupTokens.$inferSelect

/** Serialises setups until the transaction ends. */
export async function lockSetup(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.setup})`)
}

/** Also deletes expired tokens, and the oldest beyond `max`. */
export async function insertToken(tx: Transaction, token: SetupToken, max: number): Promise<void> {
  await tx.delete(setupTokens).where(lte(setupTokens.expiresAt, new Date()))
  await tx.insert(setupTokens).values(token).onConflictDoNothing()
  const kept = tx
    .select({ tokenHash: setupTokens.tokenHash })
    .from(setupTokens)
    .orderBy(desc(setupTokens.expiresAt))
    .limit(max)
  await tx.delete(setupTokens).where(notInArray(setupTokens.tokenHash, kept))
}

export async function findToken(db: Db, tokenHash: string): Promise<SetupToken | undefined> {
  const isValid = and(eq(setupTokens.tokenHash, tokenHash), gt(setupTokens.expiresAt, new Date()))
  return await one(db.select().from(setupTokens).where(isValid))
}

export async function deleteTokens(tx: Transaction): Promise<void> {
  await tx.delete(setupTokens)
}

export async function countPublicListings(db: Db): Promise<number> {
  return await db.$count(games, eq(games.visibility, 'public'))
}
