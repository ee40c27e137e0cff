import { eq, lt } from 'drizzle-orm'

import { changed, type Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { extstoreNonces } from '../../../db/schema/extstore.ts'

/** Returns true if the nonce was not used before, for only one of several concurrent calls. */
export async function consumeNonce(db: Db, nonce: string): Promise<boolean> {
  return await changed(db.insert(extstoreNonces).values({ nonce }).onConflictDoNothing())
}

export async function deleteNonces(db: Db, usedBefore: Date): Promise<void> {
  await db.delete(extstoreNonces).where(lt(extstoreNonces.usedAt, usedBefore))
}

export async function setExtstoreId(db: Db, userUid: string, extstoreId: string | null): Promise<void> {
  await db.update(users).set({ extstoreId, updatedAt: new Date() }).where(eq(users.id, userUid))
}
