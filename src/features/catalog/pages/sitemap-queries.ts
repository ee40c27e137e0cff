import { and, asc, gt, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'

/** Must match the condition of the two partial indexes exactly. */
const isIndexed = sql`${games.visibility} = 'public' and ${games.indexable}`

export async function listIndexedGames(db: Db, after: string, limit: number) {
  return await db
    .select({ uid: games.uid, vanityName: games.vanityName, updatedAt: games.updatedAt })
    .from(games)
    .where(and(isIndexed, gt(games.uid, after)))
    .orderBy(asc(games.uid))
    .limit(limit)
}

export interface IndexedDeveloper {
  uid: string
  username: string
  updatedAt: Date
}

/**
 * Every developer with an indexed listing and its newest change, from the highest uid down. A loose index scan: each
 * step jumps to the next owner, so the cost depends on the number of developers, not of listings.
 */
export async function listIndexedDevelopers(
  db: Db,
  before: string,
  limit: number,
): Promise<IndexedDeveloper[]> {
  const lastEntryBelow = (uid: ReturnType<typeof sql>) => sql`
    select ${games.ownerUid}, ${games.updatedAt} from ${games}
    where ${isIndexed} and ${games.ownerUid} < ${uid}
    order by ${games.ownerUid} desc, ${games.updatedAt} desc limit 1`
  const rows = await db.execute<{ uid: string; username: string; updated_at: string }>(sql`
    with recursive owners as (
      (${lastEntryBelow(sql`${before}::uuid`)})
      union all
      select next.* from owners, lateral (${lastEntryBelow(sql`owners.owner_uid`)}) as next
    ),
    page as (select * from owners limit ${limit})
    select page.owner_uid as uid, ${users.username}, page.updated_at
    from page join ${users} on ${users.id} = page.owner_uid
    order by page.owner_uid desc`)
  return rows.map(({ uid, username, updated_at }) => ({ uid, username, updatedAt: new Date(updated_at) }))
}
