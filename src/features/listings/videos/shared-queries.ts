import { sql } from 'drizzle-orm'

import { images, videos } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'

type VideoRow = typeof videos.$inferSelect
type Columns = Pick<
  VideoRow,
  'uid' | 'kind' | 'url' | 'provider' | 'objectKey' | 'contentType' | 'width' | 'height' | 'durationMs'
>

export interface ShownVideo extends Columns {
  poster: Pick<typeof images.$inferSelect, 'objectKey' | 'width' | 'height'> | null
}

/** The videos of the row of `games`, in their order with their posters, so that pages need no query for them. */
export const shownVideos = sql<ShownVideo[]>`coalesce((
  select jsonb_agg(jsonb_build_object(
    'uid', ${videos.uid}, 'kind', ${videos.kind}, 'url', ${videos.url}, 'provider', ${videos.provider},
    'objectKey', ${videos.objectKey}, 'contentType', ${videos.contentType}, 'width', ${videos.width},
    'height', ${videos.height}, 'durationMs', ${videos.durationMs},
    'poster', case when ${images.uid} is not null then jsonb_build_object(
      'objectKey', ${images.objectKey}, 'width', ${images.width}, 'height', ${images.height}) end
  ) order by ${videos.position}, ${videos.uid})
  from ${videos} left join ${images} on ${images.uid} = ${videos.posterUid}
  where ${videos.gameUid} = ${games.uid}), '[]')`
