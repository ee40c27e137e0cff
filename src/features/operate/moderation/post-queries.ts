import { and, eq, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { one } from '../../../db/rows.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { pageReports } from '../../../db/schema/operate.ts'
import { posts } from '../../../db/schema/posts.ts'

export type PostRow = Awaited<ReturnType<typeof selectPosts>>[number]

function selectPosts(db: Db) {
  return db
    .select({
      post: posts,
      game: { uid: games.uid, vanityName: games.vanityName, name: games.name, ownerUid: games.ownerUid },
      person: personColumns,
      openReports: sql<number>`(
        select count(*)::int from ${pageReports} where post_uid = ${posts.uid} and state = 'open')`,
    })
    .from(posts)
    .innerJoin(games, eq(games.uid, posts.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
}

export async function findPost(db: Db, uid: string): Promise<PostRow | undefined> {
  return await one(selectPosts(db).where(eq(posts.uid, uid)))
}

export async function resolveReportsOf(tx: Transaction, postUid: string): Promise<void> {
  await tx
    .update(pageReports)
    .set({ state: 'resolved' })
    .where(and(eq(pageReports.postUid, postUid), eq(pageReports.state, 'open')))
}
