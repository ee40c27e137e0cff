import { and, desc, eq } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { changelogEntries } from '../../../db/schema/game-pages.ts'

export type EntryRow = typeof changelogEntries.$inferSelect

export async function listEntries(db: Db, gameUid: string, limit: number, offset = 0): Promise<EntryRow[]> {
  return await db
    .select()
    .from(changelogEntries)
    .where(eq(changelogEntries.gameUid, gameUid))
    .orderBy(desc(changelogEntries.uid))
    .limit(limit)
    .offset(offset)
}

export async function countEntries(db: Db, gameUid: string): Promise<number> {
  return await db.$count(changelogEntries, eq(changelogEntries.gameUid, gameUid))
}

export async function insertEntry(db: Db, values: typeof changelogEntries.$inferInsert): Promise<EntryRow> {
  const [row] = await db.insert(changelogEntries).values(values).returning()
  if (!row) throw new Error('The changelog entry was not stored')
  return row
}

export async function deleteEntry(db: Db, gameUid: string, uid: string): Promise<boolean> {
  const rows = await db
    .delete(changelogEntries)
    .where(and(eq(changelogEntries.gameUid, gameUid), eq(changelogEntries.uid, uid)))
    .returning({ uid: changelogEntries.uid })
  return rows.length > 0
}
