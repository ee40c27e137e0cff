import type { ObjectRead, ObjectStore } from '../../../clients/object-store/object-store.ts'
import { AppError } from '../../../errors.ts'
import type { ProcessedImage } from './process.ts'

/** The key prefix of images. The rest of the key is the hash of the bytes, so an object never changes. */
export const IMAGE_PREFIX = 'images/'
const MEDIA_FILE = /^([0-9a-f]{64})\.webp$/

export function objectKeyOf({ sha256 }: ProcessedImage): string {
  return `${IMAGE_PREFIX}${sha256}.webp`
}

export function mediaUrlOf(baseUrl: string, objectKey: string): string {
  return `${baseUrl}/media/${objectKey.slice(IMAGE_PREFIX.length)}`
}

/** Storing the same image again costs one HEAD request. */
export async function ensureObject(store: ObjectStore, image: ProcessedImage): Promise<void> {
  const key = objectKeyOf(image)
  if (!(await store.head(key))) await store.put(key, image.bytes, { contentType: 'image/webp' })
}

export interface Media {
  /** The key of the image, also for its variants. */
  imageKey: string
  etag: string
  exists(): Promise<boolean>
  read(): Promise<ObjectRead>
}

/** The object behind a /media URL; throws not_found for an invalid name. */
export function openMedia(store: ObjectStore, file: string): Media {
  const sha256 = MEDIA_FILE.exec(file)?.[1]
  if (!sha256) throw new AppError('not_found')
  const key = IMAGE_PREFIX + file
  return {
    imageKey: key,
    etag: `"${sha256}"`,
    exists: async () => (await store.head(key)) !== null,
    read: () => store.get(key),
  }
}
