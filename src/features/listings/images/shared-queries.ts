import { and, inArray, sql } from 'drizzle-orm'

import { anyOf, type Db } from '../../../db/client.ts'
import { images } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'

/** What is shown of an image. */
export type ShownImageRow = Pick<
  typeof images.$inferSelect,
  'uid' | 'kind' | 'objectKey' | 'width' | 'height'
>

/** The colour of the cover of the row of `games`, so that pages need no query for it. */
export const coverAccent = sql<string | null>`(
  select ${images.accent} from ${images} where ${images.gameUid} = ${games.uid} and ${images.kind} = 'cover' limit 1)`

/** The cover of the row of `games` in more pixels; null where its upload had no more. */
export const wideCover = sql<{ key: string; width: number; height: number } | null>`(
  select json_build_object('key', ${images.objectKey}, 'width', ${images.width}, 'height', ${images.height})
  from ${images} where ${images.gameUid} = ${games.uid} and ${images.kind} = 'wide' limit 1)`

const shownImage = sql`json_build_object('uid', ${images.uid}, 'kind', ${images.kind}, 'objectKey', ${images.objectKey},
    'width', ${images.width}, 'height', ${images.height})`

/** Cover and thumbnail of each of the listings `gameUids`; those without are left out. */
export function selectCovers(db: Db) {
  return db
    .select({
      gameUid: images.gameUid,
      covers: sql<ShownImageRow[]>`json_agg(${shownImage})`.as('covers'),
    })
    .from(images)
    .where(
      and(anyOf(images.gameUid, sql.placeholder('gameUids')), inArray(images.kind, ['cover', 'thumbnail'])),
    )
    .groupBy(images.gameUid)
}

/** What a list shows of the row of `games`: its thumbnail, or the cover of a page without one. */
export const smallCover = sql<ShownImageRow | null>`(
  select ${shownImage}
  from ${images} where ${images.gameUid} = ${games.uid} and ${images.kind} in ('thumbnail', 'cover')
  order by ${images.kind} = 'thumbnail' desc limit 1)`
