import { and, eq, isNull } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { deployKeys } from '../../../db/schema/deploy-keys.ts'

/** The pairs that people issued, not the keys of trusted publishers, which end by themselves. */
export const issuedFor = (gameUid: string) =>
  and(eq(deployKeys.gameUid, gameUid), isNull(deployKeys.expiresAt))

export async function revokeIssuedPairs(db: Db, gameUid: string): Promise<void> {
  await db
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(and(issuedFor(gameUid), isNull(deployKeys.revokedAt)))
}

export async function insertKey(db: Db, values: typeof deployKeys.$inferInsert): Promise<void> {
  await db.insert(deployKeys).values(values)
}
