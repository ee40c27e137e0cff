import { join } from 'node:path'

import { BOXES } from '../features/listings/images/model.ts'
import { computeAccent, type ProcessedImage } from '../features/listings/images/process.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import type { DemoListing } from './data.ts'

/** Next to this file, or embedded in the binary. */
const FOLDER = join(import.meta.dir, 'pictures')

export interface PagePictures {
  cover: ProcessedImage
  thumbnail: ProcessedImage
  gallery: ProcessedImage[]
}

/** Opens a picture; all are WebP files in the size of thumbnails. */
export function openPicture(folder: string, name: string): Bun.BunFile {
  return Bun.file(join(FOLDER, folder, `${name}.webp`))
}

/** Opens a video; all are WebM. */
export function openVideo(name: string): Bun.BunFile {
  return Bun.file(join(import.meta.dir, 'videos', `${name}.webm`))
}

/** The pictures of each page, by vanity name. */
export async function loadPictures(listings: readonly DemoListing[]): Promise<Map<string, PagePictures>> {
  const pages = new Map<string, PagePictures>()
  for (const { vanityName, colours, screens = [] } of listings) {
    const bytes = await openPicture(colours, vanityName).bytes()
    pages.set(vanityName, {
      thumbnail: toImage(bytes, BOXES.thumbnail),
      cover: { ...(await readLarge(colours, vanityName)), accent: await computeAccent(bytes) },
      gallery: await Promise.all(screens.map((screen) => readLarge(colours, screen))),
    })
  }
  return pages
}

/** The same picture in the size of covers, kept because enlarging takes a tenth of a second. */
async function readLarge(folder: string, name: string): Promise<ProcessedImage> {
  return toImage(await openPicture(join('large', folder), name).bytes(), BOXES.cover)
}

function toImage(
  bytes: Uint8Array,
  { width, height }: Pick<ProcessedImage, 'width' | 'height'>,
): ProcessedImage {
  return { bytes, sha256: sha256Hex(bytes), width, height }
}
