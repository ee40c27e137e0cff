import { and, asc, eq, isNull } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { channelMoves } from '../../../db/schema/channels.ts'
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

/** Every channel that points at the build, or did. */
export async function listReleasesOf(db: Db, buildUid: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ channel: channelMoves.channel })
    .from(channelMoves)
    .where(eq(channelMoves.toBuildUid, buildUid))
    .orderBy(asc(channelMoves.channel))
  return rows.map(({ channel }) => channel)
}
