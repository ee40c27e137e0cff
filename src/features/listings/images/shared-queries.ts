import { sql } from 'drizzle-orm'

import { images } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { ImageRow } from './queries.ts'

/** The colour of the cover of the row of `games`, so that pages need no query for it. */
export const coverAccent = sql<string | null>`(
  select ${images.accent} from ${images} where ${images.gameUid} = ${games.uid} and ${images.kind} = 'cover' limit 1)`

/** The cover of the row of `games` in more pixels; null where its upload had no more. */
export const wideCover = sql<{ key: string; width: number; height: number } | null>`(
  select json_build_object('key', ${images.objectKey}, 'width', ${images.width}, 'height', ${images.height})
  from ${images} where ${images.gameUid} = ${games.uid} and ${images.kind} = 'wide' limit 1)`

/** What a list shows of the row of `games`: its thumbnail, or the cover of a page without one. */
export const smallCover = sql<Pick<ImageRow, 'uid' | 'kind' | 'objectKey' | 'width' | 'height'> | null>`(
  select json_build_object('uid', ${images.uid}, 'kind', ${images.kind}, 'objectKey', ${images.objectKey},
    'width', ${images.width}, 'height', ${images.height})
  from ${images} where ${images.gameUid} = ${games.uid} and ${images.kind} in ('thumbnail', 'cover')
  order by ${images.kind} = 'thumbnail' desc limit 1)`
