import { eq, sql } from 'drizzle-orm'

import { isMainApp } from '../../../db/build-conditions.ts'
import { anyOf, type Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { apps, channelPointers, files } from '../../../db/schema/builds.ts'
import { images, pressKits, videos } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import type { LayoutFault } from '../../../domain/listings/package-layout.ts'

export interface PageFacts {
  game: typeof games.$inferSelect
  ownerVerified: boolean
  covers: number
  thumbnails: number
  screenshots: number
  trailerUrl: string | null
  videos: number
  /** What older editors would drop from the newest clean stable file of the main app. */
  layoutFaults: readonly LayoutFault[]
  /** Operating systems with a clean stable build of the main app. */
  platforms: readonly string[]
}

const stablePlatforms = sql<string[]>`array(
  select distinct ${channelPointers.os} from ${channelPointers}
  join ${apps} on ${isMainApp(channelPointers.appUid)}
  join ${files} on ${files.buildUid} = ${channelPointers.buildUid} and ${files.scan} = 'clean'
  where ${channelPointers.gameUid} = ${games.uid} and ${channelPointers.channel} = ${STABLE})`

const newestLayout = sql<LayoutFault[]>`coalesce((
  select ${files.layoutFaults} from ${channelPointers}
  join ${apps} on ${isMainApp(channelPointers.appUid)}
  join ${files} on ${files.buildUid} = ${channelPointers.buildUid} and ${files.scan} = 'clean'
  where ${channelPointers.gameUid} = ${games.uid} and ${channelPointers.channel} = ${STABLE}
  order by ${files.uploadedAt} desc, ${files.uid} desc limit 1), '{}')`

/** One query, in any order. */
export async function listFacts(db: Db, gameUids: readonly string[]): Promise<PageFacts[]> {
  const countOf = (kind: string) =>
    sql<number>`(select count(*)::int from ${images} where game_uid = ${games.uid} and kind = ${kind})`
  return await db
    .select({
      game: games,
      ownerVerified: users.emailVerified,
      covers: countOf('cover'),
      thumbnails: countOf('thumbnail'),
      screenshots: countOf('gallery'),
      trailerUrl: sql<string | null>`${pressKits.kit} ->> 'trailer_url'`,
      videos: sql<number>`(select count(*)::int from ${videos} where game_uid = ${games.uid})`,
      layoutFaults: newestLayout,
      platforms: stablePlatforms,
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .leftJoin(pressKits, eq(pressKits.gameUid, games.uid))
    .where(anyOf(games.uid, gameUids))
}
