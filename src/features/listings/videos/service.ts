import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { VIDEO_TYPES, type VideoFormat, VIDEOS_MAX } from '../../../domain/listings/videos.ts'
import { mediaUrl } from '../../../domain/site-urls.ts'
import { AppError, invalidField, invalidFields } from '../../../errors.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import type { Arrival } from '../../../lib/net/requests.ts'
import { respond } from '../../../lib/respond.ts'
import { plural } from '../../../lib/text/show.ts'
import { readVideoFacts } from '../../../lib/video/video-facts.ts'
import { changeGame, markEdited, openGame, recordChange } from '../../games/service.ts'
import { discardImmediately, discardObjects } from '../../storage/service.ts'
import type { ProcessedImage } from '../images/process.ts'
import { receiveImage, removeAttached, storeAttached } from '../images/service.ts'
import { Video, VIDEO_PREFIX, type Videos } from './model.ts'
import * as queries from './queries.ts'
import { parseLink, preparePoster, type ReceivedVideo, receiveVideo } from './receive.ts'
import type { ShownVideo } from './shared-queries.ts'

interface Caller {
  userUid: string
}

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

/** For owner and admins. */
export async function listVideos(deps: Deps, caller: Caller, ref: string): Promise<Videos> {
  const { game } = await openGame(deps.db, caller, ref, 'edit')
  return { videos: await loadVideos(deps, game.uid) }
}

/** Receives a form with `file` or `url`, and maybe a `poster`. Permission and room are checked before it is read. */
export async function uploadVideo(deps: Deps, caller: Caller, ref: string, arrival: Arrival): Promise<Video> {
  const { game } = await openGame(deps.db, caller, ref, 'edit')
  await requireRoom(deps.db, game.uid)
  const whose = { accountUid: caller.userUid, gameUid: game.uid }
  return await receiveVideo(deps, arrival.request, whose, (received) =>
    saveVideo(deps, caller, game.uid, received),
  )
}

/** The same for a link alone. */
export async function linkVideo(deps: Deps, caller: Caller, ref: string, url: string): Promise<Video> {
  const link = parseLink(url)
  if (!link) throw invalidField('url', 'is missing; send the address of a video.')
  return await saveVideo(deps, caller, ref, { file: null, link, poster: null })
}

async function saveVideo(
  deps: Deps,
  caller: Caller,
  ref: string,
  { file, link, poster }: ReceivedVideo,
): Promise<Video> {
  const { gameUid, uid } = await changeGame(deps.db, caller, ref, 'edit', async (tx, game) => {
    const lastPosition = await requireRoom(tx, game.uid)
    const posterUid = poster && (await storeAttached(deps, tx, game.uid, 'poster', poster))
    const position = lastPosition === null ? 0 : lastPosition + 1
    const row = await queries.insertVideo(tx, {
      gameUid: game.uid,
      kind: file ? 'file' : 'link',
      ...(file ?? link),
      posterUid,
      position,
    })
    await markEdited(tx, game.uid)
    return row
  })
  return await requireVideo(deps, gameUid, uid)
}

/** Saves a small WebM that is known to be fine, such as those of the demo. */
export async function storeKnownVideo(
  { objects }: Pick<Deps, 'objects'>,
  tx: Transaction,
  gameUid: string,
  bytes: Uint8Array,
): Promise<void> {
  const objectKey = `${VIDEO_PREFIX}${createUid()}.webm`
  const contentType = VIDEO_TYPES.webm
  const source = {
    size: bytes.length,
    read: async (start: number, end: number) => bytes.subarray(start, end),
  }
  const facts = await readVideoFacts(source, 'webm')
  await objects.put(objectKey, bytes, { contentType })
  await queries.insertVideo(tx, {
    gameUid,
    kind: 'file',
    objectKey,
    contentType,
    size: bytes.length,
    ...facts,
  })
}

/** Returns the position of the last video; null if there is none. */
async function requireRoom(db: Db, gameUid: string): Promise<number | null> {
  const { count, lastPosition } = await queries.countVideos(db, gameUid)
  if (count < VIDEOS_MAX) return lastPosition
  throw invalidFields([
    { path: 'file', message: `The page already has ${VIDEOS_MAX} videos. Delete one first.` },
  ])
}

async function requireVideo(deps: Deps, gameUid: string, uid: string): Promise<Video> {
  const video = (await loadVideos(deps, gameUid)).find((shown) => shown.uid === uid)
  if (!video) throw new AppError('not_found')
  return video
}

/** Receives a form with a picture, and shows it before the video plays. */
export async function uploadPoster(
  deps: Deps,
  caller: Caller,
  ref: string,
  videoUid: string,
  arrival: Arrival,
  field = 'file',
): Promise<Video> {
  const { game } = await openGame(deps.db, caller, ref, 'edit')
  const whose = { accountUid: caller.userUid, gameUid: game.uid }
  return await receiveImage(
    deps,
    arrival,
    whose,
    async (file) => setPoster(deps, caller, game.uid, videoUid, await preparePoster(deps, file, field)),
    field,
  )
}

async function setPoster(
  deps: Deps,
  caller: Caller,
  ref: string,
  videoUid: string,
  poster: ProcessedImage,
): Promise<Video> {
  const gameUid = await changeGame(deps.db, caller, ref, 'edit', async (tx, game) => {
    const video = await findVideo(tx, game.uid, videoUid)
    await queries.setPoster(tx, video.uid, await storeAttached(deps, tx, game.uid, 'poster', poster))
    if (video.posterUid !== null) await removeAttached(tx, game.uid, 'poster', video.posterUid)
    await markEdited(tx, game.uid)
    return game.uid
  })
  return await requireVideo(deps, gameUid, videoUid)
}

/** Its file is deleted before the answer, so that its address stops immediately. */
export async function removeVideo(
  deps: Deps,
  caller: WebsiteUser | Agent,
  ref: string,
  videoUid: string,
): Promise<void> {
  const keys = await changeGame(deps.db, caller, ref, 'edit', async (tx, game) => {
    const { uid, kind, url, objectKey, posterUid } = await findVideo(tx, game.uid, videoUid)
    await queries.deleteVideo(tx, uid)
    if (posterUid !== null) await removeAttached(tx, game.uid, 'poster', posterUid)
    const keys = objectKey === null ? [] : [objectKey]
    await discardObjects(tx, { keys })
    await recordChange(tx, caller, game.uid, { kind: 'video_deleted', subject: url ?? kind })
    await markEdited(tx, game.uid)
    return keys
  })
  await discardImmediately(deps, { keys })
}

async function findVideo(tx: Transaction, gameUid: string, videoUid: string): Promise<queries.VideoRow> {
  const video = isUid(videoUid) ? await queries.findVideo(tx, gameUid, videoUid) : undefined
  if (!video) throw new AppError('not_found')
  return video
}

export async function orderVideos(
  deps: Deps,
  caller: Caller,
  ref: string,
  uids: readonly string[],
): Promise<Videos> {
  const gameUid = await changeGame(deps.db, caller, ref, 'edit', async (tx, game) => {
    const present = (await queries.listVideos(tx, game.uid)).map(({ uid }) => uid)
    const isSame = uids.length === present.length && present.every((uid) => uids.includes(uid))
    if (!isSame) {
      throw invalidField('uids', `must name each of the ${plural(present.length, 'video')} of the page once.`)
    }
    await queries.orderVideos(tx, game.uid, uids)
    await markEdited(tx, game.uid)
    return game.uid
  })
  return { videos: await loadVideos(deps, gameUid) }
}

const VIDEO_FILE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(mp4|webm)$/

/** The object behind an address of a video; throws not_found for an invalid name. */
export function parseVideoFile(file: string): { objectKey: string; contentType: string } {
  const format = VIDEO_FILE.exec(file)?.[1] as VideoFormat | undefined
  if (!format) throw new AppError('not_found')
  return { objectKey: VIDEO_PREFIX + file, contentType: VIDEO_TYPES[format] }
}
