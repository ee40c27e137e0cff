import { and, eq, inArray, notExists } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { files } from '../db/schema/builds.ts'
import { downloadEvents } from '../db/schema/downloads.ts'
import { games } from '../db/schema/games/games.ts'

export type DownloadValues = typeof downloadEvents.$inferInsert

/** Clean files of these people's listings that nobody has downloaded. */
export async function listUnreadFiles(db: Db, emails: readonly string[]) {
  const known = db.select().from(downloadEvents).where(eq(downloadEvents.fileUid, files.uid))
  return await db
    .select({ uid: files.uid, gameUid: files.gameUid, filename: files.filename })
    .from(files)
    .innerJoin(games, eq(games.uid, files.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(inArray(users.email, [...emails]), eq(files.scan, 'clean'), notExists(known)))
}

export async function insertDownloads(tx: Transaction, values: readonly DownloadValues[]): Promise<void> {
  if (values.length > 0) await tx.insert(downloadEvents).values([...values])
}
