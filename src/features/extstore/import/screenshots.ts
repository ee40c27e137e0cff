import type { StoreApp } from '../../../clients/extstore/client.ts'
import { fetchOutside, OutsideFailure } from '../../../clients/outside/fetch-outside.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { Receipt } from '../../../lib/flow/buffer-memory.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { FILE_BYTES_MAX, GALLERY_MAX } from '../../listings/images/model.ts'
import { imageMemory, measureImage, type ProcessedImage } from '../../listings/images/process.ts'
import { type NewImages, prepareImage } from '../../listings/images/service.ts'
import type { Skipped } from './model.ts'

export const WIDTH_MIN = 1280
export const HEIGHT_MIN = 720
/** Stops looking when many are too small. */
const CANDIDATES_MAX = 24
const CONCURRENCY = 3
const TIMEOUT_MS = 10_000
const TOTAL_MS = 30_000

/** Serialises the imports of one account, so that a slow server delays only that account. */
const byAccount = createKeyedSemaphore(1)

interface File {
  bytes: Uint8Array
  contentType: string
}

interface Screenshot {
  url: string
  width: number
  height: number
}

export interface Screenshots {
  usable: Screenshot[]
  skipped: Skipped[]
}

export const NO_SCREENSHOTS: Screenshots = { usable: [], skipped: [] }

/** Fetches and measures the store page's images in order until there are enough. `use` throws to skip one. */
export async function gatherScreenshots(
  deps: Deps,
  accountUid: string,
  { screenshots }: StoreApp,
  use: (file: File, isFirst: boolean) => Promise<void> = async () => undefined,
): Promise<Screenshots> {
  using held = new DisposableStack()
  held.use(await byAccount.acquire(accountUid))
  const usable: Screenshot[] = []
  const skipped: Skipped[] = []
  let leftMs = TOTAL_MS
  const candidates = screenshots.slice(0, CANDIDATES_MAX)
  let at = 0
  while (at < candidates.length && usable.length < GALLERY_MAX) {
    const batch = candidates.slice(at, at + Math.min(CONCURRENCY, GALLERY_MAX - usable.length))
    using memory = new DisposableStack()
    const since = performance.now()
    const files = await Promise.all(
      batch.map(({ url }) => {
        const receipt = memory.use(imageMemory.open())
        return orReason(() => fetchImage(deps, url, leftMs, receipt))
      }),
    )
    leftMs -= performance.now() - since
    for (const [index, file] of files.entries()) {
      const url = batch[index]?.url ?? ''
      const taken =
        typeof file === 'string' ? file : await orReason(() => take(file, url, usable.length === 0))
      if (typeof taken !== 'string') usable.push(taken)
      else skipped.push({ field: 'gallery', reason: `Screenshot ${at + index + 1}: ${taken}` })
    }
    at += batch.length
  }
  const left = screenshots.length - at
  if (left > 0) skipped.push({ field: 'gallery', reason: describeSkipped(left, usable.length) })
  return { usable, skipped }

  async function take(file: File, url: string, isFirst: boolean): Promise<Screenshot> {
    const size = await measureImage(file.bytes, file.contentType)
    if (size.width < WIDTH_MIN || size.height < HEIGHT_MIN) throw tooSmall(size)
    await use(file, isFirst)
    return { url, ...size }
  }
}

/** Gathers screenshots, decodes them and stores them as objects; no page shows them yet. */
export async function prepareScreenshots(
  deps: Deps,
  accountUid: string,
  app: StoreApp,
): Promise<Screenshots & { images: NewImages | null }> {
  const gallery: ProcessedImage[] = []
  const covers: Omit<NewImages, 'gallery'>[] = []
  const gathered = await gatherScreenshots(deps, accountUid, app, async (file, isFirst) => {
    const image = await prepareImage(deps, 'gallery', file)
    if (isFirst) {
      const cover = await prepareImage(deps, 'cover', file)
      covers.push({ cover, thumbnail: await prepareImage(deps, 'thumbnail', file) })
    }
    gallery.push(image)
  })
  const [first] = covers
  return { ...gathered, images: first ? { ...first, gallery } : null }
}

function describeSkipped(left: number, usable: number): string {
  const most =
    usable === GALLERY_MAX ? `a gallery has ${GALLERY_MAX} images` : `only ${CANDIDATES_MAX} are considered`
  return `${left} more were skipped: ${most}.`
}

/** Why an image is skipped, for the report. */
class ImageFault extends Error {}

function tooSmall({ width, height }: { width: number; height: number }): ImageFault {
  return new ImageFault(`It is ${width}×${height}; at least ${WIDTH_MIN}×${HEIGHT_MIN} are needed.`)
}

async function fetchImage(deps: Deps, url: string, leftMs: number, receipt: Receipt): Promise<File> {
  if (leftMs <= 0) throw new ImageFault('The images before it took too long.')
  const response = await fetchOutside(url, {
    timeoutMs: Math.ceil(Math.min(TIMEOUT_MS, leftMs)),
    maxBytes: FILE_BYTES_MAX,
    redirects: 2,
    exempt: (address) => deps.extStore.isOwnOrigin(address),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new ImageFault(`The server responded with ${response.status}.`)
  }
  const contentType = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const parts: Uint8Array[] = []
  for await (const part of response.body ?? []) {
    receipt.add(part.length)
    if (receipt.signal.aborted) throw new ImageFault('Too many images were being received at once.')
    parts.push(part)
  }
  receipt.complete()
  return { bytes: Buffer.concat(parts), contentType }
}

/** Returns an `ImageFault` as the reason for skipping the image; rethrows everything else. */
async function orReason<Result>(work: () => Promise<Result>): Promise<Result | string> {
  try {
    return await work()
  } catch (error) {
    const isItsOwn =
      error instanceof OutsideFailure ||
      error instanceof ImageFault ||
      (error instanceof AppError && error.kind === 'invalid_request')
    if (isItsOwn) return error.message
    throw error
  }
}
