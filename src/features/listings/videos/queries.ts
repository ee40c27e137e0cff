import { sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { games } from '../../../db/schema/games/games.ts'
import { type ShownVideo, shownVideos } from './shared-queries.ts'

export async function listVideos(db: Db, gameUid: string): Promise<ShownVideo[]> {
  const [row] = await db.execute<{ videos: ShownVideo[] }>(
    sql`select ${shownVideos} as videos from ${games} where ${games.uid} = ${gameUid}`,
  )
  return row?.videos ?? []
}
