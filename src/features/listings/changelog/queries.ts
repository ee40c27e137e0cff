import { and, desc, eq } from 'drizzle-orm'

import { anyOf, changed, type Db, inserted, one, pageOf } from '../../../db/client.ts'
import { changelogEntries } from '../../../db/schema/games/game-pages.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

export type EntryRow = typeof changelogEntries.$inferSelect
export type EntryText = Pick<EntryRow, 'title' | 'body' | 'version' | 'items'>

const isEntry = (gameUid: string, uid: string) =>
  and(eq(changelogEntries.gameUid, gameUid), eq(changelogEntries.uid, uid))

const newestFirst = (db: Db, gameUid: string) =>
  db
    .select()
    .from(changelogEntries)
    .where(eq(changelogEntries.gameUid, gameUid))
    .orderBy(desc(changelogEntries.uid))

export async function listNewest(db: Db, gameUid: string, limit: number): Promise<EntryRow[]> {
  return await newestFirst(db, gameUid).limit(limit)
}

export async function listEntries(db: Db, gameUid: string, page: Page): Promise<Paged<EntryRow>> {
  const total = db.$count(changelogEntries, eq(changelogEntries.gameUid, gameUid))
  return await pageOf(newestFirst(db, gameUid), total, page)
}

/** The newest entry of each of these listings. */
export async function listNewestOf(db: Db, gameUids: readonly string[]): Promise<EntryRow[]> {
  return await db
    .selectDistinctOn([changelogEntries.gameUid])
    .from(changelogEntries)
    .where(anyOf(changelogEntries.gameUid, gameUids))
    .orderBy(changelogEntries.gameUid, desc(changelogEntries.uid))
}

export async function listByUid(db: Db, uids: readonly string[]): Promise<EntryRow[]> {
  return await db.select().from(changelogEntries).where(anyOf(changelogEntries.uid, uids))
}

export async function insertEntry(db: Db, values: typeof changelogEntries.$inferInsert): Promise<EntryRow> {
  return await inserted(db.insert(changelogEntries).values(values).returning())
}

export async function findEntry(db: Db, gameUid: string, uid: string): Promise<EntryRow | undefined> {
  return await one(db.select().from(changelogEntries).where(isEntry(gameUid, uid)))
}

export async function updateEntry(db: Db, uid: string, values: EntryText): Promise<void> {
  await db.update(changelogEntries).set(values).where(eq(changelogEntries.uid, uid))
}

export async function deleteEntry(db: Db, gameUid: string, uid: string): Promise<boolean> {
  return await changed(db.delete(changelogEntries).where(isEntry(gameUid, uid)))
}
