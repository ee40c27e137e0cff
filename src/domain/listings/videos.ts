export const VIDEO_KINDS = ['file', 'link'] as const

/** The sites that links may lead to. PeerTube has many addresses. */
export const VIDEO_PROVIDERS = ['youtube', 'vimeo', 'peertube'] as const
export type VideoProvider = (typeof VIDEO_PROVIDERS)[number]

export const PROVIDER_LABELS = {
  youtube: 'YouTube',
  vimeo: 'Vimeo',
  peertube: 'PeerTube',
} as const satisfies Record<VideoProvider, string>

/** The files that are taken, with the endings of their addresses. */
export const VIDEO_TYPES = { mp4: 'video/mp4', webm: 'video/webm' } as const
export type VideoFormat = keyof typeof VIDEO_TYPES
export type VideoType = (typeof VIDEO_TYPES)[VideoFormat]

export const VIDEOS_MAX = 4
