import { asc, eq, getTableColumns } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { images, videos } from '../../../db/schema/games/game-pages.ts'

export type VideoRow = typeof videos.$inferSelect

/** The videos of a page in their order, with their posters. */
export async function listVideos(db: Db, gameUid: string) {
  return await db
    .select({
      ...getTableColumns(videos),
      poster: { objectKey: images.objectKey, width: images.width, height: images.height },
    })
    .from(videos)
    .leftJoin(images, eq(images.uid, videos.posterUid))
    .where(eq(videos.gameUid, gameUid))
    .orderBy(asc(videos.position), asc(videos.uid))
}

export type ShownVideo = Awaited<ReturnType<typeof listVideos>>[number]
