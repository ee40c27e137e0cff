import type { VideoProvider } from './videos.ts'

const VIDEO_URL_MAX = 255

export interface VideoLink {
  provider: VideoProvider
  /** The page of the video, without anything that follows people. */
  url: string
}

const YOUTUBE_HOSTS = new Set(['youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtube-nocookie.com'])
const YOUTUBE_ID = /^[\w-]{11}$/
const YOUTUBE_PATH = /^\/(?:shorts|embed|live|v)\/([\w-]+)\/?$/
const VIMEO_PATH = /^\/(?:video\/)?(\d{1,15})(?:\/([0-9a-f]{6,16}))?\/?$/
/** The address of a video on any PeerTube server: a uuid, or the same in base 58. */
const PEERTUBE_PATH =
  /^\/(?:w|videos\/watch|videos\/embed)\/([1-9A-HJ-NP-Za-km-z]{21,22}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/

/** The video behind an address; null for anything else. Nothing is fetched. */
export function parseVideoLink(text: string): VideoLink | null {
  const url = text.length > VIDEO_URL_MAX ? null : URL.parse(text.trim())
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return null
  const host = url.hostname.replace(/^www\./, '')
  if (host === 'youtu.be' || YOUTUBE_HOSTS.has(host)) return toYoutube(host, url)
  if (host === 'vimeo.com' || host === 'player.vimeo.com') return toVimeo(url)
  const [, id] = PEERTUBE_PATH.exec(url.pathname) ?? []
  if (id === undefined || !host.includes('.')) return null
  return { provider: 'peertube', url: `https://${url.host}/w/${id}` }
}

function toYoutube(host: string, { pathname, searchParams }: URL): VideoLink | null {
  const id =
    host === 'youtu.be'
      ? pathname.slice(1)
      : pathname === '/watch'
        ? searchParams.get('v')
        : YOUTUBE_PATH.exec(pathname)?.[1]
  if (!id || !YOUTUBE_ID.test(id)) return null
  return { provider: 'youtube', url: `https://www.youtube.com/watch?v=${id}` }
}

/** Unlisted videos have a key behind their number, or as a parameter of the player. */
function toVimeo({ pathname, searchParams }: URL): VideoLink | null {
  const [, number, inPath] = VIMEO_PATH.exec(pathname) ?? []
  if (number === undefined) return null
  const key = inPath ?? /^[0-9a-f]{6,16}$/.exec(searchParams.get('h') ?? '')?.[0]
  return { provider: 'vimeo', url: `https://vimeo.com/${number}${key === undefined ? '' : `/${key}`}` }
}
