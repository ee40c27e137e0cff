import { and, desc, eq, isNull } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { deployKeys } from '../../db/schema/deploy-keys.ts'
import type { Page } from '../../lib/paging.ts'

export type DeployKeyRow = typeof deployKeys.$inferSelect

export async function listKeys(db: Db, gameUid: string, page: Page): Promise<DeployKeyRow[]> {
  return await db
    .select()
    .from(deployKeys)
    .where(eq(deployKeys.gameUid, gameUid))
    .orderBy(desc(deployKeys.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countKeys(db: Db, gameUid: string): Promise<number> {
  return await db.$count(deployKeys, eq(deployKeys.gameUid, gameUid))
}

export async function revokeKeys(db: Db, gameUid: string): Promise<void> {
  await db
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(and(eq(deployKeys.gameUid, gameUid), isNull(deployKeys.revokedAt)))
}

export async function insertKey(db: Db, values: typeof deployKeys.$inferInsert): Promise<void> {
  await db.insert(deployKeys).values(values)
}
