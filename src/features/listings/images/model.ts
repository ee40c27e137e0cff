import { t } from 'elysia'

import { IMAGE_KINDS, type StoredImageKind } from '../../../domain/listings/listing.ts'
import { Integer, OneOf, Strict, Uid } from '../../../http/input/schema.ts'

export const GALLERY_MAX = 12
export const FILE_BYTES_MAX = 16 * 1024 * 1024
export interface Size {
  width: number
  height: number
}

/** `cover` fills the box and crops the rest; `inside` keeps the whole image and never enlarges it. */
export interface Box extends Size {
  fit: 'cover' | 'inside'
  /** WebP by default. */
  format?: 'png' | 'jpeg'
}

export const BOXES: Readonly<Record<StoredImageKind, Box>> = {
  cover: { width: 1280, height: 720, fit: 'cover' },
  wide: { width: 1920, height: 1080, fit: 'cover' },
  thumbnail: { width: 640, height: 360, fit: 'cover' },
  gallery: { width: 1920, height: 1080, fit: 'inside' },
  poster: { width: 1280, height: 1280, fit: 'inside' },
  post: { width: 1280, height: 1280, fit: 'inside' },
}
/** A narrower upload has no wide cover: it would look the same as the cover. */
export const WIDE_MIN = 1600
/** The time limit for receiving an image. */
export const RECEIVE_MS = 5 * 60 * 1000

export const Image = t.Object(
  {
    uid: Uid,
    kind: OneOf(IMAGE_KINDS),
    url: t.String({ format: 'uri', examples: ['https://store.example/media/0f3a.webp'] }),
    width: Integer({ examples: [1280] }),
    height: Integer({ examples: [720] }),
  },
  { $id: 'Image' },
)
export type Image = typeof Image.static

/** The images of one page. */
export const PageImages = t.Object({
  cover: t.Nullable(Image),
  thumbnail: t.Nullable(Image),
  gallery: t.Array(Image, { maxItems: GALLERY_MAX }),
})
export type PageImages = typeof PageImages.static

export const GalleryOrder = Strict({ uids: t.Array(t.String(), { maxItems: GALLERY_MAX }) })
