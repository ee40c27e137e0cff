import { t } from 'elysia'

import { VIDEO_KINDS, VIDEO_PROVIDERS, VIDEO_TYPES, VIDEOS_MAX } from '../../../domain/listings/videos.ts'
import { Integer, OneOf, Strict, Uid } from '../../../http/input/schema.ts'

export const VIDEO_BYTES_MAX = 100 * 1024 ** 2
/** The key prefix of video files. */
export const VIDEO_PREFIX = 'videos/'

const Poster = t.Object({
  url: t.String({ format: 'uri', examples: ['https://store.example/media/0f3a.webp'] }),
  width: Integer({ examples: [1280] }),
  height: Integer({ examples: [720] }),
})

export const Video = t.Object(
  {
    uid: Uid,
    kind: OneOf(VIDEO_KINDS, { description: 'A file that the store serves, with ranges, or a link.' }),
    url: t.String({ format: 'uri', examples: ['https://store.example/media/videos/0198.webm'] }),
    content_type: t.Nullable(OneOf([VIDEO_TYPES.mp4, VIDEO_TYPES.webm])),
    width: t.Nullable(Integer({ examples: [1280] })),
    height: t.Nullable(Integer({ examples: [720] })),
    duration_ms: t.Nullable(Integer({ examples: [42_000] })),
    poster: t.Nullable(Poster, { description: 'Null where the cover stands for it.' }),
    provider: t.Nullable(OneOf(VIDEO_PROVIDERS)),
  },
  { $id: 'Video' },
)
export type Video = typeof Video.static

export const Videos = t.Object({ videos: t.Array(Video, { maxItems: VIDEOS_MAX }) })
export type Videos = typeof Videos.static

export const VideoOrder = Strict({ uids: t.Array(t.String(), { maxItems: VIDEOS_MAX }) })
