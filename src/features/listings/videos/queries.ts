import { and, count, eq, max, sql } from 'drizzle-orm'

import { type Db, inserted, one, type Transaction } from '../../../db/client.ts'
import { videos } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { type ShownVideo, shownVideos } from './shared-queries.ts'

export type VideoRow = typeof videos.$inferSelect
type NewVideo = Omit<typeof videos.$inferInsert, 'uid' | 'createdAt'>

export async function listVideos(db: Db, gameUid: string): Promise<ShownVideo[]> {
  const [row] = await db.execute<{ videos: ShownVideo[] }>(
    sql`select ${shownVideos} as videos from ${games} where ${games.uid} = ${gameUid}`,
  )
  return row?.videos ?? []
}

export async function countVideos(
  db: Db,
  gameUid: string,
): Promise<{ count: number; lastPosition: number | null }> {
  const [row] = await db
    .select({ count: count(), lastPosition: max(videos.position) })
    .from(videos)
    .where(eq(videos.gameUid, gameUid))
  return row ?? { count: 0, lastPosition: null }
}

export async function insertVideo(tx: Transaction, values: NewVideo): Promise<VideoRow> {
  return await inserted(tx.insert(videos).values(values).returning())
}

export async function findVideo(
  tx: Transaction,
  gameUid: string,
  uid: string,
): Promise<VideoRow | undefined> {
  return await one(
    tx
      .select()
      .from(videos)
      .where(and(eq(videos.uid, uid), eq(videos.gameUid, gameUid))),
  )
}

export async function setPoster(tx: Transaction, uid: string, posterUid: string | null): Promise<void> {
  await tx.update(videos).set({ posterUid }).where(eq(videos.uid, uid))
}

export async function deleteVideo(tx: Transaction, uid: string): Promise<void> {
  await tx.delete(videos).where(eq(videos.uid, uid))
}

export async function orderVideos(tx: Transaction, gameUid: string, uids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    update ${videos} set position = wanted.position - 1
    from unnest(${sql.param([...uids])}::uuid[]) with ordinality as wanted(uid, position)
    where ${videos.uid} = wanted.uid and ${videos.gameUid} = ${gameUid}`)
}
