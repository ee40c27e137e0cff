import { eq, lt } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { extstoreNonces } from '../../../db/schema/extstore.ts'

/** Returns whether the nonce is used for the first time; true for only one of several concurrent calls. */
export async function takeNonce(db: Db, nonce: string): Promise<boolean> {
  const rows = await db.insert(extstoreNonces).values({ nonce }).onConflictDoNothing().returning()
  return rows.length > 0
}

export async function deleteNonces(db: Db, usedBefore: Date): Promise<void> {
  await db.delete(extstoreNonces).where(lt(extstoreNonces.usedAt, usedBefore))
}

export async function setExtstoreId(db: Db, userUid: string, extstoreId: string | null): Promise<void> {
  await db.update(users).set({ extstoreId, updatedAt: new Date() }).where(eq(users.id, userUid))
}
