import { openObjectSource } from '../../../clients/objects/object-ranges.ts'
import type { Deps } from '../../../deps.ts'
import {
  PROVIDER_LABELS,
  VIDEO_TYPES,
  type VideoProvider,
  type VideoType,
} from '../../../domain/listings/videos.ts'
import { AppError, invalidField, invalidFields, type Issue } from '../../../errors.ts'
import { peekStream } from '../../../lib/bytes/streams.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { type FormFile, readForm } from '../../../lib/form/multipart.ts'
import { createUid } from '../../../lib/ids.ts'
import { type VideoFacts, VideoFault } from '../../../lib/video/container.ts'
import {
  readVideoFacts,
  sniffVideo,
  VIDEO_HEAD_BYTES,
  type VideoFormat,
} from '../../../lib/video/video-facts.ts'
import { reserveStorage } from '../../storage/quota.ts'
import { releaseObject } from '../../storage/service.ts'
import { FILE_BYTES_MAX as POSTER_BYTES_MAX } from '../images/model.ts'
import { imageMemory, type ProcessedImage } from '../images/process.ts'
import { prepareImage } from '../images/service.ts'
import { VIDEO_BYTES_MAX, VIDEO_PREFIX } from './model.ts'

/** A stored file that no row refers to yet. */
interface StoredFile extends VideoFacts {
  objectKey: string
  contentType: VideoType
  size: number
}

/** What a form carried: a file or a link, and maybe a poster. */
export interface ReceivedVideo {
  file: StoredFile | null
  link: VideoLink | null
  poster: ProcessedImage | null
}

const OVERHEAD_BYTES = 256 * 1024
/** Files in other fields are skipped, up to this number. */
const FILES_MAX = 4
/** The largest video then arrives at 120 KB a second, as from a phone. */
const RECEIVE_MS = 15 * 60 * 1000
const UPLOADS_PER_ACCOUNT = 2

const byAccount = createKeyedSemaphore(UPLOADS_PER_ACCOUNT)

interface Whose {
  accountUid: string
  gameUid: string
}

/**
 * Streams the file of a form into the object store, checks it there and passes it on. If anything fails before its row
 * exists, the object is deleted again.
 */
export async function receiveVideo<Result>(
  deps: Deps,
  request: Request,
  { accountUid, gameUid }: Whose,
  save: (received: ReceivedVideo) => Promise<Result>,
): Promise<Result> {
  const entered = byAccount.tryAcquire(accountUid)
  if (!entered) throw tooManyAtOnce()
  await using held = new AsyncDisposableStack()
  held.use(entered)
  const declared = Number(request.headers.get('content-length') ?? VIDEO_BYTES_MAX)
  held.use(
    await reserveStorage(deps, gameUid, {
      bytes: Math.min(declared, VIDEO_BYTES_MAX + POSTER_BYTES_MAX),
      ms: 2 * RECEIVE_MS,
    }),
  )
  const receipt = held.use(imageMemory.open())
  let file: (Pick<StoredFile, 'objectKey' | 'size'> & { format: VideoFormat }) | null = null
  let poster: { bytes: Uint8Array; contentType: string } | null = null
  try {
    const fields = await readForm(request, {
      maxBodyBytes: VIDEO_BYTES_MAX + POSTER_BYTES_MAX + OVERHEAD_BYTES,
      maxFiles: FILES_MAX,
      signal: AbortSignal.any([AbortSignal.timeout(RECEIVE_MS), receipt.signal]),
      async onFile(sent) {
        if (sent.field === 'file' && file) throw invalidField('file', 'must be one file, not several.')
        if (sent.field === 'file') file = await storeFile(deps, accountUid, sent)
        if (sent.field === 'poster') poster = await readPoster(sent, receipt.add)
      },
    })
    receipt.complete()
    const link = parseLink(fields.get('url'))
    if (!file && !link)
      throw invalidField('file', 'is missing; send an MP4 or WebM file, or the url of a video.')
    if (file && link) throw invalidField('url', 'must be left out where a file is sent.')
    return await save({
      file: file && (await checkFile(deps, file)),
      link,
      poster: poster && (await preparePoster(deps, poster)),
    })
  } catch (error) {
    // After any other error the row may exist; if it does not, the hourly job deletes the object.
    const stored = file as { objectKey: string } | null
    if (stored && error instanceof AppError) await releaseObject(deps, stored.objectKey)
    throw error
  }
}

/** Null for an empty field, which forms send too. */
export function parseLink(text: string | undefined): VideoLink | null {
  if (text === undefined || text.trim() === '') return null
  const link = parseVideoLink(text)
  if (link) return link
  const sites = Object.values(PROVIDER_LABELS).join(', ')
  throw invalidField('url', `must be the https:// address of one video at one of ${sites}.`)
}

/** Null for the empty file without a name that browsers send if none was chosen. */
async function storeFile({ objects }: Deps, owner: string, { filename, stream }: FormFile) {
  const { head, whole } = await peekStream(stream, ({ length }) => length >= VIDEO_HEAD_BYTES)
  if (head.length === 0 && filename === '') return null
  const format = sniffVideo(head)
  if (!format) throw invalidField('file', 'must be an MP4 or WebM video.')
  const objectKey = `${VIDEO_PREFIX}${createUid()}.${format}`
  const body = whole(VIDEO_BYTES_MAX, videoTooLarge)
  const { size } = await objects.put(objectKey, body, { contentType: VIDEO_TYPES[format], owner })
  return { objectKey, size, format }
}

async function checkFile(
  { objects }: Deps,
  { objectKey, size, format }: Pick<StoredFile, 'objectKey' | 'size'> & { format: VideoFormat },
): Promise<StoredFile> {
  try {
    const facts = await readVideoFacts(openObjectSource(objects, objectKey, size), format)
    return { objectKey, size, contentType: VIDEO_TYPES[format], ...facts }
  } catch (cause) {
    if (cause instanceof VideoFault) throw invalidField('file', cause.message, { cause })
    throw cause
  }
}

async function readPoster({ filename, stream, contentType }: FormFile, onBytes: (bytes: number) => void) {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const bytes of stream) {
    size += bytes.length
    onBytes(bytes.length)
    if (size > POSTER_BYTES_MAX) {
      throw new AppError('too_large', { message: `The poster is larger than ${POSTER_BYTES_MAX} bytes.` })
    }
    pieces.push(bytes)
  }
  return size === 0 && filename === '' ? null : { bytes: Buffer.concat(pieces), contentType }
}

/** Faults of a picture are told of the field `file`; here it may have another name. */
export async function preparePoster(
  deps: Deps,
  poster: { bytes: Uint8Array; contentType: string },
  field = 'poster',
): Promise<ProcessedImage> {
  try {
    return await prepareImage(deps, 'poster', poster)
  } catch (error) {
    const issues =
      error instanceof AppError ? (error.data?.issues as readonly Issue[] | undefined) : undefined
    if (!issues) throw error
    throw invalidFields(
      issues.map(({ message }) => ({ path: field, message })),
      { cause: error },
    )
  }
}

function videoTooLarge(): AppError {
  return new AppError('too_large', { message: `The video is larger than ${VIDEO_BYTES_MAX} bytes.` })
}

function tooManyAtOnce(): AppError {
  return new AppError('rate_limited', {
    message: `This account is already uploading ${UPLOADS_PER_ACCOUNT} videos. Try again when they are done.`,
    headers: { 'retry-after': '60' },
  })
}

const VIDEO_URL_MAX = 255

interface VideoLink {
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
function parseVideoLink(text: string): VideoLink | null {
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
