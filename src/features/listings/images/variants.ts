import type { ObjectStore } from '../../../clients/objects/object-store.ts'
import { IMAGE_VARIANTS, type ImageVariant, variantKey } from '../../../domain/listings/image-variants.ts'
import { IMAGE_PREFIX } from '../../../domain/site-urls.ts'
import { cropPicture, decodePng, encodePng } from '../../../lib/bytes/png.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import type { Size } from './model.ts'
import { type Media } from './service.ts'

const FILE = new RegExp(`^([0-9a-f]{64})-(${IMAGE_VARIANTS.join('|')})$`)
const ICON_SIDE = 128
const QUALITY = 85
type ScaledVariant = Exclude<ImageVariant, 'icon.png'>
/** The longest side. */
const SIDES: Readonly<Record<ScaledVariant, number>> = {
  'small.jpg': 320,
  'large.jpg': 1280,
}

/** Conversions at once; a full-size image has two million pixels. */
const CONVERTING_MAX = 2
const converting = createSemaphore(CONVERTING_MAX)
const IN_FLIGHT_MAX = 16
/** Requests for the same variant share one conversion. */
const inFlight = new BoundedCache<Uint8Array>({ maxEntries: IN_FLIGHT_MAX, lifetimeMs: 1000 })

/** `https://…/media/<sha256>.webp` becomes `https://…/media/<sha256>-icon.png`. */
export function variantUrl(imageUrl: string, variant: ImageVariant): string {
  return imageUrl.replace(/\.webp$/, `-${variant}`)
}

/** How large a variant of an image is. */
export function sizeOfVariant({ width, height }: Size, variant: ScaledVariant): Size {
  const scale = Math.min(1, SIDES[variant] / Math.max(width, height))
  return { width: Math.round(width * scale), height: Math.round(height * scale) }
}

/** The variant behind a /media URL; null for any other name. */
export function openVariant(objects: ObjectStore, file: string): (Media & { contentType: string }) | null {
  const [, sha256, variant] = FILE.exec(file) ?? []
  if (sha256 === undefined || !isVariant(variant)) return null
  const [source, key] = [`${IMAGE_PREFIX}${sha256}.webp`, variantKey(sha256, variant)]
  const contentType = variant.endsWith('.png') ? 'image/png' : 'image/jpeg'
  return {
    contentType,
    imageKey: source,
    etag: `"${sha256}-${variant}"`,
    exists: async () => (await objects.head(source)) !== null,
    async read() {
      if ((await objects.head(key)) === null) {
        await inFlight.load(key, async () => {
          const bytes = await convert(objects, source, variant)
          await objects.put(key, bytes, { contentType })
          // Deleting an image deletes its variants, which may have happened before this one was stored.
          if ((await objects.head(source)) === null) await objects.delete(key)
          return bytes
        })
        // Not kept, because the image may be deleted and uploaded again at any moment.
        inFlight.delete(key)
      }
      return await objects.get(key)
    },
  }
}

function isVariant(name: string | undefined): name is ImageVariant {
  return IMAGE_VARIANTS.some((known) => known === name)
}

async function convert(objects: ObjectStore, source: string, variant: ImageVariant): Promise<Uint8Array> {
  using held = new DisposableStack()
  held.use(await converting.acquire())
  const bytes = await Bun.readableStreamToBytes((await objects.get(source)).stream)
  if (variant === 'icon.png') return await renderIcon(bytes)
  const { width, height } = sizeOfVariant(await new Bun.Image(bytes).metadata(), variant)
  const image = new Bun.Image(bytes).resize(width, height)
  return await image.jpeg({ quality: QUALITY }).bytes()
}

/** The centre of the image as a square: editors would stretch any other shape. */
async function renderIcon(bytes: Uint8Array): Promise<Uint8Array> {
  const picture = decodePng(await new Bun.Image(bytes).png({ compressionLevel: 0 }).bytes())
  const side = Math.min(picture.width, picture.height)
  const [left, top] = [(picture.width - side) >> 1, (picture.height - side) >> 1]
  const square = encodePng(cropPicture(picture, { left, top, width: side, height: side }))
  return await new Bun.Image(square).resize(ICON_SIDE, ICON_SIDE).png().bytes()
}
