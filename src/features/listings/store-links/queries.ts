import { eq } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { games, type StoreLinkValue } from '../../../db/schema/games/games.ts'

export async function updateStoreLinks(db: Db, gameUid: string, storeLinks: StoreLinkValue[]): Promise<void> {
  await db.update(games).set({ storeLinks }).where(eq(games.uid, gameUid))
}
