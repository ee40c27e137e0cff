import type { ObjectRead, ObjectStore } from '../../../clients/objects/object-store.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import type { ImageKind, StoredImageKind } from '../../../domain/listings/listing.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { IMAGE_PREFIX, mediaUrl } from '../../../domain/site-urls.ts'
import { AppError, invalidField, invalidFields } from '../../../errors.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { readFormFile, type ReceivedFile } from '../../../lib/form/multipart.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/requests.ts'
import { plural } from '../../../lib/text/show.ts'
import { changeGame, markEdited, openGame, recordChange } from '../../games/service.ts'
import { reserveStorage } from '../../storage/quota.ts'
import { discardObjects } from '../../storage/service.ts'
import { lockObject } from '../../storage/shared-queries.ts'
import { changePage } from '../check/service.ts'
import {
  type Box,
  BOXES,
  FILE_BYTES_MAX,
  GALLERY_MAX,
  type Image,
  type PageImages,
  RECEIVE_MS,
  type Size,
  WIDE_MIN,
} from './model.ts'
import { computeAccent, imageMemory, measureImage, type ProcessedImage, processImage } from './process.ts'
import * as queries from './queries.ts'
import { listHiddenKeys } from './queries.ts'
import type { ShownImageRow } from './shared-queries.ts'

interface Caller {
  userUid: string
}

interface LockedGame {
  uid: string
  visibility: Visibility
}

export interface NewImages {
  cover: ProcessedImage
  thumbnail: ProcessedImage
  gallery: readonly ProcessedImage[]
}

interface Covers {
  cover: Image | null
  thumbnail: Image | null
}

export async function loadPageImages(deps: Deps, gameUid: string): Promise<PageImages> {
  const rows = await queries.listImages(deps.db, gameUid)
  const shown = rows.map((row) => toImage(deps.config.baseUrl, row))
  return {
    cover: shown.find(({ kind }) => kind === 'cover') ?? null,
    thumbnail: shown.find(({ kind }) => kind === 'thumbnail') ?? null,
    gallery: shown.filter(({ kind }) => kind === 'gallery'),
  }
}

/** For many pages at once; pages without images are omitted. */
export async function loadCovers(deps: Deps, gameUids: readonly string[]): Promise<Map<string, Covers>> {
  const rows = gameUids.length === 0 ? [] : await queries.listCovers(deps.db, gameUids)
  return new Map(rows.map(({ gameUid, covers }) => [gameUid, toCovers(deps.config.baseUrl, covers)]))
}

export function toCovers(baseUrl: string, rows: readonly ShownImageRow[]): Covers {
  const shown = (kind: StoredImageKind) => {
    const row = rows.find((one) => one.kind === kind)
    return row ? toImage(baseUrl, row) : null
  }
  return { cover: shown('cover'), thumbnail: shown('thumbnail') }
}

/** For owner and admins. */
export async function listImages(deps: Deps, caller: Caller, ref: string): Promise<PageImages> {
  const { game } = await openGame(deps.db, caller, ref, 'edit')
  return await loadPageImages(deps, game.uid)
}

/** Replaces the cover or thumbnail, or adds to the gallery. */
export async function saveImage(
  deps: Deps,
  caller: Caller,
  ref: string,
  kind: ImageKind,
  file: { bytes: Uint8Array; contentType: string },
): Promise<Image> {
  const prepared = await prepareImage(deps, kind, file)
  return await changeGame(deps.db, caller, ref, 'edit', async (tx, game) => {
    return await storeImage(deps, tx, game, kind, prepared)
  })
}

/** The slow part: decodes, encodes and stores the object. Must run before the transaction. */
export async function prepareImage(
  deps: Deps,
  kind: StoredImageKind,
  file: { bytes: Uint8Array; contentType: string },
): Promise<ProcessedImage> {
  const image = await storeObject(deps.objects, BOXES[kind], file)
  if (kind !== 'cover') return image
  const box = toWideBox(await measureImage(file.bytes, file.contentType))
  const wide = box && (await storeObject(deps.objects, box, file))
  return { ...image, accent: await computeAccent(image.bytes), ...(wide && { wide }) }
}

/** For a wide cover; null for a file that has too few pixels. */
function toWideBox({ width, height }: Size): Box | null {
  const { wide } = BOXES
  const shown = Math.min(wide.width, width, Math.round((height * wide.width) / wide.height))
  if (shown < WIDE_MIN) return null
  return { ...wide, width: shown, height: Math.round((shown * wide.height) / wide.width) }
}

/** The same for any other picture. */
export async function storeObject(
  objects: ObjectStore,
  box: Box,
  file: { bytes: Uint8Array; contentType: string },
): Promise<ProcessedImage> {
  const image = await processImage(file.bytes, box, file.contentType)
  await ensureObject(objects, image)
  return image
}

/**
 * Saves a prepared image for the page. The caller must have edit permission and hold the lock of the game.
 */
export async function storeImage(
  deps: Deps,
  tx: Transaction,
  game: LockedGame,
  kind: ImageKind,
  image: ProcessedImage,
): Promise<Image> {
  const { wide } = image
  await claimObjects(deps, tx, [image, ...(wide ? [wide] : [])])
  const row = await changePage(tx, game, async () => {
    const position = await claimPosition(tx, game.uid, kind)
    if (wide) await queries.insertImage(tx, valuesOf(game.uid, 'wide', wide, 0))
    return await queries.insertImage(tx, valuesOf(game.uid, kind, image, position))
  })
  await markEdited(tx, game.uid)
  return toImage(deps.config.baseUrl, row)
}

/** Images that belong to a video or a post, which refers to them by the uid. */
type AttachedKind = Extract<StoredImageKind, 'poster' | 'post'>

/** Saves a prepared image. The caller must hold the lock of the game. */
export async function storeAttached(
  deps: Deps,
  tx: Transaction,
  gameUid: string,
  kind: AttachedKind,
  image: ProcessedImage,
): Promise<string> {
  await claimObject(deps, tx, image)
  const { uid } = await queries.insertImage(tx, valuesOf(gameUid, kind, image, 0))
  return uid
}

export async function removeAttached(
  tx: Transaction,
  gameUid: string,
  kind: AttachedKind,
  uid: string,
): Promise<void> {
  const deleted = await queries.deleteImage(tx, gameUid, uid, [kind])
  if (deleted) await discardObjects(tx, { keys: [deleted.objectKey] })
}

/** Replaces all images of a page. The caller must have edit permission and hold the lock of the game. */
export async function replaceImages(
  deps: Deps,
  tx: Transaction,
  gameUid: string,
  { cover, thumbnail, gallery }: NewImages,
): Promise<void> {
  const { wide } = cover
  await claimObjects(deps, tx, [cover, ...(wide ? [wide] : []), thumbnail, ...gallery])
  const replaced = await queries.replaceImages(tx, gameUid, [
    valuesOf(gameUid, 'cover', cover, 0),
    ...(wide ? [valuesOf(gameUid, 'wide', wide, 0)] : []),
    valuesOf(gameUid, 'thumbnail', thumbnail, 0),
    ...gallery.map((image, position) => valuesOf(gameUid, 'gallery', image, position)),
  ])
  await discardObjects(tx, { keys: replaced })
}

/** Always in the same order, to avoid deadlocks. */
async function claimObjects(deps: Deps, tx: Transaction, all: readonly ProcessedImage[]): Promise<void> {
  const ordered = all.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
  for (const image of ordered) await claimObject(deps, tx, image)
}

/** Blocks the object's deletion until the transaction ends, and stores it again if it was already swept. */
export async function claimObject(deps: Deps, tx: Transaction, image: ProcessedImage): Promise<string> {
  const key = objectKeyOf(image)
  await lockObject(tx, key)
  await ensureObject(deps.objects, image)
  return key
}

function valuesOf(gameUid: string, kind: StoredImageKind, image: ProcessedImage, position: number) {
  const { width, height, bytes, accent = null } = image
  return { gameUid, kind, objectKey: objectKeyOf(image), width, height, size: bytes.length, position, accent }
}

/** Returns the position of the new image. */
async function claimPosition(tx: Transaction, gameUid: string, kind: ImageKind): Promise<number> {
  if (kind !== 'gallery') {
    await discardObjects(tx, { keys: await queries.deleteImagesOfKind(tx, gameUid, kind) })
    if (kind === 'cover') await removeWideCover(tx, gameUid)
    return 0
  }
  const { count, lastPosition } = await queries.loadGallery(tx, gameUid)
  if (count >= GALLERY_MAX) {
    throw invalidFields([
      { path: 'file', message: `The gallery already has ${GALLERY_MAX} images. Delete one first.` },
    ])
  }
  return lastPosition === null ? 0 : lastPosition + 1
}

async function removeWideCover(tx: Transaction, gameUid: string): Promise<void> {
  await discardObjects(tx, { keys: await queries.deleteImagesOfKind(tx, gameUid, 'wide') })
}

export async function removeImage(
  deps: Deps,
  caller: WebsiteUser | Agent,
  ref: string,
  imageUid: string,
): Promise<void> {
  await changeGame(deps.db, caller, ref, 'edit', async (tx, game) => {
    await changePage(tx, game, async () => {
      const deleted = isUid(imageUid) ? await queries.deleteImage(tx, game.uid, imageUid) : undefined
      if (!deleted) throw new AppError('not_found')
      await discardObjects(tx, { keys: [deleted.objectKey] })
      if (deleted.kind === 'cover') await removeWideCover(tx, game.uid)
      await recordChange(tx, caller, game.uid, { kind: 'image_deleted', subject: deleted.kind })
    })
    await markEdited(tx, game.uid)
  })
}

export async function orderGallery(
  deps: Deps,
  caller: Caller,
  ref: string,
  uids: readonly string[],
): Promise<PageImages> {
  const gameUid = await changeGame(deps.db, caller, ref, 'edit', async (tx, game) => {
    const rows = await queries.listImages(tx, game.uid)
    const gallery = rows.filter(({ kind }) => kind === 'gallery').map(({ uid }) => uid)
    const isSame = uids.length === gallery.length && gallery.every((uid) => uids.includes(uid))
    if (!isSame)
      throw invalidField(
        'uids',
        `must name each of the ${plural(gallery.length, 'image')} of the gallery once.`,
      )
    await queries.orderGallery(tx, game.uid, uids)
    await markEdited(tx, game.uid)
    return game.uid
  })
  return await loadPageImages(deps, gameUid)
}

export function toImage(baseUrl: string, row: ShownImageRow): Image {
  const { uid, width, height } = row
  // Others are only read with what they belong to.
  const kind = row.kind as ImageKind
  return { uid, kind, url: mediaUrl(baseUrl, row.objectKey), width, height }
}

/** How long after a take-down, suspension or restore its pictures may still be shown or hidden. */
const FRESH_MS = 500

type IsHidden = (objectKey: string) => Promise<boolean>

/**
 * Whether an image belongs to taken-down pages and suspended accounts alone. Queries at most twice a second for all pictures; while
 * the database is unreachable, the last result is used.
 */
export function createHiddenImages({ db, log }: Pick<Deps, 'db' | 'log'>): IsHidden {
  let last: ReadonlySet<string> | null = null
  const read = memoize(FRESH_MS, async () => {
    try {
      last = new Set(await listHiddenKeys(db))
    } catch (error) {
      if (!last) throw error
      log.warn('The images of pages that were taken down and of suspended accounts could not be read', {
        error,
      })
    }
    return last
  })
  return async (objectKey) => (await read()).has(objectKey)
}

const MEDIA_FILE = /^([0-9a-f]{64})\.webp$/

function objectKeyOf({ sha256 }: ProcessedImage): string {
  return `${IMAGE_PREFIX}${sha256}.webp`
}

/** Storing the same image again costs one HEAD request. */
async function ensureObject(objects: ObjectStore, image: ProcessedImage): Promise<void> {
  const key = objectKeyOf(image)
  if (!(await objects.head(key))) await objects.put(key, image.bytes, { contentType: 'image/webp' })
}

export interface Media {
  /** The key of the image, also for its variants. */
  imageKey: string
  etag: string
  exists(): Promise<boolean>
  read(): Promise<ObjectRead>
}

/** The object behind a /media URL; throws not_found for an invalid name. */
export function openMedia(objects: ObjectStore, file: string): Media {
  const sha256 = MEDIA_FILE.exec(file)?.[1]
  if (!sha256) throw new AppError('not_found')
  const key = IMAGE_PREFIX + file
  return {
    imageKey: key,
    etag: `"${sha256}"`,
    exists: async () => (await objects.head(key)) !== null,
    read: () => objects.get(key),
  }
}

const UPLOADS_PER_ACCOUNT = 2

const byAccount = createKeyedSemaphore(UPLOADS_PER_ACCOUNT)

/**
 * Receives the file of a form and passes it to `save`. Other uploads of the account wait before they are
 * read. Without a game it is a picture of the person, of which there are two at most and which do not count as storage.
 */
export async function receiveImage<Result>(
  deps: Deps,
  arrival: Arrival,
  { accountUid, gameUid }: { accountUid: string; gameUid: string | null },
  save: (file: ReceivedFile) => Promise<Result>,
  field = 'file',
): Promise<Result> {
  await using held = new AsyncDisposableStack()
  held.use(await extendIdleTimeout(arrival, () => waitForOthers(accountUid)))
  const length = Number(arrival.request.headers.get('content-length') ?? FILE_BYTES_MAX)
  const bytes = Math.min(length, FILE_BYTES_MAX)
  if (gameUid === null) await deps.objects.requireRoom(bytes)
  else held.use(await reserveStorage(deps, gameUid, { bytes, ms: 2 * RECEIVE_MS }))
  const receipt = held.use(imageMemory.open())
  const file = await readFormFile(arrival.request, {
    field,
    maxBytes: FILE_BYTES_MAX,
    signal: AbortSignal.any([AbortSignal.timeout(RECEIVE_MS), receipt.signal]),
    onBytes: receipt.add,
  })
  receipt.complete()
  return await save(file)
}

/** Waits for other uploads of the same account. */
async function waitForOthers(accountUid: string): Promise<Disposable> {
  const signal = AbortSignal.timeout(RECEIVE_MS)
  try {
    return await byAccount.acquire(accountUid, signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new AppError('rate_limited', {
      message: `This account is already uploading ${UPLOADS_PER_ACCOUNT} images. Try again when they are done.`,
      headers: { 'retry-after': '60' },
      cause,
    })
  }
}
