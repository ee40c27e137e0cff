import { and, eq, sql } from 'drizzle-orm'

import type { Transaction } from '../../../db/client.ts'
import { playTimes } from '../../../db/schema/games/game-players.ts'
import { playClocks } from '../../../db/schema/ingest.ts'

export type ClockRow = typeof playClocks.$inferSelect

/** The player's clock for this game, locked until the transaction ends. */
export async function lockClock(tx: Transaction, userUid: string, gameUid: string): Promise<ClockRow> {
  const [row] = await tx
    .insert(playClocks)
    .values({ userUid, gameUid })
    .onConflictDoUpdate({ target: [playClocks.userUid, playClocks.gameUid], set: { userUid } })
    .returning()
  if (!row) throw new Error('The clock was not stored')
  return row
}

export async function storeClock(tx: Transaction, { userUid, gameUid, ...values }: ClockRow): Promise<void> {
  await tx
    .update(playClocks)
    .set(values)
    .where(and(eq(playClocks.userUid, userUid), eq(playClocks.gameUid, gameUid)))
}

export async function addPlayTime(
  tx: Transaction,
  userUid: string,
  gameUid: string,
  seconds: number,
): Promise<void> {
  await tx
    .insert(playTimes)
    .values({ userUid, gameUid, seconds })
    .onConflictDoUpdate({
      target: [playTimes.userUid, playTimes.gameUid],
      set: { seconds: sql`${playTimes.seconds} + excluded.seconds` },
    })
}
