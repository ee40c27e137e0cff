import { and, asc, eq, sql } from 'drizzle-orm'

import { changed, type Db, inserted, one, pageOf } from '../../../db/client.ts'
import { editions } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

export type EditionRow = typeof editions.$inferSelect
type EditionValues = Pick<EditionRow, 'name' | 'priceCents' | 'active'>

const isOf = (gameUid: string, uid: string) => and(eq(editions.gameUid, gameUid), eq(editions.uid, uid))
const isActiveOf = (gameUid: string) => and(eq(editions.gameUid, gameUid), eq(editions.active, true))

export async function listEditions(db: Db, gameUid: string, page: Page): Promise<Paged<EditionRow>> {
  const isOfGame = eq(editions.gameUid, gameUid)
  const rows = db.select().from(editions).where(isOfGame).orderBy(asc(editions.uid))
  return await pageOf(rows, db.$count(editions, isOfGame), page)
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
  return await one(db.select().from(editions).where(isOf(gameUid, uid)))
}

export async function insertEdition(db: Db, gameUid: string, values: EditionValues): Promise<EditionRow> {
  return await inserted(
    db
      .insert(editions)
      .values({ gameUid, ...values })
      .returning(),
  )
}

export async function updateEdition(db: Db, uid: string, values: EditionValues): Promise<void> {
  await db.update(editions).set(values).where(eq(editions.uid, uid))
}

export async function deleteEdition(db: Db, gameUid: string, uid: string): Promise<boolean> {
  return await changed(db.delete(editions).where(isOf(gameUid, uid)))
}

/** Part of the listing, so the revision changes too. */
export async function setAnonymousDownloads(db: Db, gameUid: string, enabled: boolean): Promise<void> {
  await db
    .update(games)
    .set({ anonymousDownloads: enabled, revision: sql`${games.revision} + 1` })
    .where(eq(games.uid, gameUid))
}
