import { eq } from 'drizzle-orm'

import { type Db, one } from '../../db/client.ts'
import { games } from '../../db/schema/games/games.ts'

export type LockStrength = 'key share' | 'no key update' | 'update'

/** The whole row, locked against edits until the transaction ends. */
export async function lockWholeGame(tx: Db, uid: string): Promise<typeof games.$inferSelect | undefined> {
  return await one(tx.select().from(games).where(eq(games.uid, uid)).for('no key update'))
}

/**
 * Locks the row until the transaction ends. `key share` prevents deleting it, `no key update` also editing it
 * and moving its channels, `update` also inserting rows that refer to it.
 */
export async function lockGameRow(tx: Db, uid: string, strength: LockStrength): Promise<void> {
  await tx.select({ uid: games.uid }).from(games).where(eq(games.uid, uid)).for(strength)
}
