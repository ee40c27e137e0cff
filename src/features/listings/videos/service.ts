import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { mediaUrl } from '../../../domain/site-urls.ts'
import { respond } from '../../../lib/respond.ts'
import { Video } from './model.ts'
import * as queries from './queries.ts'
import type { ShownVideo } from './shared-queries.ts'

/** The key prefix of video files. */
export const VIDEO_PREFIX = 'videos/'

export async function loadVideos(deps: Pick<Deps, 'config'> & { db: Db }, gameUid: string): Promise<Video[]> {
  const rows = await queries.listVideos(deps.db, gameUid)
  return rows.map((row) => toVideo(deps.config.baseUrl, row))
}

export function toVideo(baseUrl: string, row: ShownVideo): Video {
  const { objectKey, poster } = row
  return respond(Video, row, {
    url: objectKey === null ? (row.url ?? '') : `${baseUrl}/media/${objectKey}`,
    poster: poster && {
      url: mediaUrl(baseUrl, poster.objectKey),
      width: poster.width,
      height: poster.height,
    },
  })
}
