import { and, desc, eq } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db } from '../../../db/client.ts'
import { changelogEntries } from '../../../db/schema/games/game-pages.ts'

export type EntryRow = typeof changelogEntries.$inferSelect
export type EntryText = Pick<EntryRow, 'title' | 'body' | 'version' | 'items'>

const isEntry = (gameUid: string, uid: string) =>
  and(eq(changelogEntries.gameUid, gameUid), eq(changelogEntries.uid, uid))

export async function listEntries(db: Db, gameUid: string, limit: number, offset = 0): Promise<EntryRow[]> {
  return await db
    .select()
    .from(changelogEntries)
    .where(eq(changelogEntries.gameUid, gameUid))
    .orderBy(desc(changelogEntries.uid))
    .limit(limit)
    .offset(offset)
}

/** The newest entry of each of these listings. */
export async function listNewestOf(db: Db, gameUids: readonly string[]): Promise<EntryRow[]> {
  return await db
    .selectDistinctOn([changelogEntries.gameUid])
    .from(changelogEntries)
    .where(anyOf(changelogEntries.gameUid, gameUids))
    .orderBy(changelogEntries.gameUid, desc(changelogEntries.uid))
}

export async function countEntries(db: Db, gameUid: string): Promise<number> {
  return await db.$count(changelogEntries, eq(changelogEntries.gameUid, gameUid))
}

export async function insertEntry(db: Db, values: typeof changelogEntries.$inferInsert): Promise<EntryRow> {
  const [row] = await db.insert(changelogEntries).values(values).returning()
  if (!row) throw new Error('The changelog entry was not stored')
  return row
}

export async function findEntry(db: Db, gameUid: string, uid: string): Promise<EntryRow | undefined> {
  const [row] = await db.select().from(changelogEntries).where(isEntry(gameUid, uid))
  return row
}

export async function updateEntry(db: Db, uid: string, values: EntryText): Promise<void> {
  await db.update(changelogEntries).set(values).where(eq(changelogEntries.uid, uid))
}

export async function deleteEntry(db: Db, gameUid: string, uid: string): Promise<boolean> {
  const rows = await db
    .delete(changelogEntries)
    .where(isEntry(gameUid, uid))
    .returning({ uid: changelogEntries.uid })
  return rows.length > 0
}
