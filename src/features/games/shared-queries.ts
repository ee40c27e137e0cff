import { eq } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { games } from '../../db/schema/games/games.ts'

export type LockStrength = 'key share' | 'no key update' | 'update'

/** The whole row, locked against edits until the transaction ends. */
export async function lockWholeGame(tx: Db, uid: string): Promise<typeof games.$inferSelect | undefined> {
  const [row] = await tx.select().from(games).where(eq(games.uid, uid)).for('no key update')
  return row
}

/**
 * Locks the row until the transaction ends. `key share`: it is not deleted; `no key update`: nor edited, and its
 * channels do not move; `update`: nothing that names it is inserted either.
 */
export async function lockGameRow(tx: Db, uid: string, strength: LockStrength): Promise<void> {
  await tx.select({ uid: games.uid }).from(games).where(eq(games.uid, uid)).for(strength)
}
