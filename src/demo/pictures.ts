import { join } from 'node:path'

import { BOXES } from '../features/listings/images/model.ts'
import { computeAccent, type ProcessedImage } from '../features/listings/images/process.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import type { DemoListing } from './data.ts'

/** Next to this file, or embedded in the binary. */
const FOLDER = join(import.meta.dir, 'pictures')
const QUALITY = 82

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

/** The pictures of each page, by vanity name. Pages in the same colours share gallery pictures. */
export async function loadPictures(listings: readonly DemoListing[]): Promise<Map<string, PagePictures>> {
  const shared = new Map<string, Promise<ProcessedImage>>()
  const pages = new Map<string, PagePictures>()
  for (const { vanityName, colours, screens = [] } of listings) {
    const bytes = await openPicture(colours, vanityName).bytes()
    const gallery = screens.map((screen) => {
      const key = `${colours}/${screen}`
      const picture = shared.get(key) ?? openPicture(colours, screen).bytes().then(enlarge)
      shared.set(key, picture)
      return picture
    })
    pages.set(vanityName, {
      thumbnail: toImage(bytes, BOXES.thumbnail),
      cover: { ...(await enlarge(bytes)), accent: await computeAccent(bytes) },
      gallery: await Promise.all(gallery),
    })
  }
  return pages
}

async function enlarge(file: Uint8Array): Promise<ProcessedImage> {
  const { width, height } = BOXES.cover
  const bytes = await new Bun.Image(file).resize(width, height).webp({ quality: QUALITY }).bytes()
  return toImage(bytes, BOXES.cover)
}

function toImage(
  bytes: Uint8Array,
  { width, height }: Pick<ProcessedImage, 'width' | 'height'>,
): ProcessedImage {
  return { bytes, sha256: sha256Hex(bytes), width, height }
}
