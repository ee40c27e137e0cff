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

/**
 * The pictures of each page, by vanity name. All have the size of thumbnails: enlarged ones would take long to make and
 * show no more.
 */
export async function loadPictures(listings: readonly DemoListing[]): Promise<Map<string, PagePictures>> {
  const pages = new Map<string, PagePictures>()
  for (const { vanityName, colours, screens = [] } of listings) {
    const thumbnail = await loadPicture(colours, vanityName)
    pages.set(vanityName, {
      thumbnail,
      cover: { ...thumbnail, accent: await computeAccent(thumbnail.bytes) },
      gallery: await Promise.all(screens.map((screen) => loadPicture(colours, screen))),
    })
  }
  return pages
}

async function loadPicture(folder: string, name: string): Promise<ProcessedImage> {
  const { width, height } = BOXES.thumbnail
  const bytes = await openPicture(folder, name).bytes()
  return { bytes, sha256: sha256Hex(bytes), width, height }
}
