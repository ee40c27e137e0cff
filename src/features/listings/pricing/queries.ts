import { and, asc, eq, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { editions } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'

export type EditionRow = typeof editions.$inferSelect
type EditionValues = Pick<EditionRow, 'name' | 'priceCents' | 'active'>

const isOf = (gameUid: string, uid: string) => and(eq(editions.gameUid, gameUid), eq(editions.uid, uid))
const isActiveOf = (gameUid: string) => and(eq(editions.gameUid, gameUid), eq(editions.active, true))

export async function listEditions(db: Db, gameUid: string, page: Page): Promise<EditionRow[]> {
  return await db
    .select()
    .from(editions)
    .where(eq(editions.gameUid, gameUid))
    .orderBy(asc(editions.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countEditions(db: Db, gameUid: string): Promise<number> {
  return await db.$count(editions, eq(editions.gameUid, gameUid))
}

export async function listActiveEditions(db: Db, gameUid: string, limit: number): Promise<EditionRow[]> {
  return await db.select().from(editions).where(isActiveOf(gameUid)).orderBy(asc(editions.uid)).limit(limit)
}

export async function countActiveEditions(db: Db, gameUid: string): Promise<number> {
  return await db.$count(editions, isActiveOf(gameUid))
}

export async function findEdition(db: Db, gameUid: string, uid: string): Promise<EditionRow | undefined> {
  const [row] = await db.select().from(editions).where(isOf(gameUid, uid))
  return row
}

export async function insertEdition(db: Db, gameUid: string, values: EditionValues): Promise<EditionRow> {
  const [row] = await db
    .insert(editions)
    .values({ gameUid, ...values })
    .returning()
  if (!row) throw new Error('The edition was not stored')
  return row
}

export async function updateEdition(db: Db, uid: string, values: EditionValues): Promise<void> {
  await db.update(editions).set(values).where(eq(editions.uid, uid))
}

export async function deleteEdition(db: Db, gameUid: string, uid: string): Promise<boolean> {
  const rows = await db.delete(editions).where(isOf(gameUid, uid)).returning({ uid: editions.uid })
  return rows.length > 0
}

/** Part of the listing, so the revision changes too. */
export async function setAnonymousDownloads(db: Db, gameUid: string, enabled: boolean): Promise<void> {
  await db
    .update(games)
    .set({ anonymousDownloads: enabled, revision: sql`${games.revision} + 1` })
    .where(eq(games.uid, gameUid))
}
