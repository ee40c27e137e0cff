import type { ProcessedImage } from '../features/listings/images/process.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import { drawPicture, type Motif } from './art/pictures.ts'
import type { DemoListing } from './listing-data.ts'

const COVER = { width: 1280, height: 720 }
const THUMBNAIL = { width: 640, height: 360 }
/** Drawn small and scaled up: it takes a quarter of the time, and soft edges suit the pictures. */
const DRAWN_HEIGHT = 360
const QUALITY = 82
const AT_ONCE = 4

type Size = typeof COVER

export interface PagePictures {
  cover: ProcessedImage
  thumbnail: ProcessedImage
  gallery: ProcessedImage[]
}

/** The pictures of each page, by its vanity name. */
export type Painter = (listings: readonly DemoListing[]) => Promise<Map<string, PagePictures>>

/** Paints all pictures of these pages. Pages with the same motif share its picture. */
export const paintPages: Painter = async (listings) => {
  const screens = new Map<string, Promise<ProcessedImage>>()
  const pages = new Map<string, PagePictures>()
  const queue = [...listings]
  const work = async () => {
    for (let listing = queue.shift(); listing; listing = queue.shift()) {
      pages.set(listing.vanityName, await paintPage(listing, screens))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return pages
}

async function paintPage(
  { vanityName, art, screens = [] }: DemoListing,
  painted: Map<string, Promise<ProcessedImage>>,
): Promise<PagePictures> {
  const [scene, palette] = art
  const drawn = drawPicture({ scene, palette, seed: vanityName }, DRAWN_HEIGHT)
  const [cover, thumbnail] = await Promise.all([encode(drawn, COVER), encode(drawn, THUMBNAIL)])
  const gallery = []
  for (const screen of screens) {
    const motif: Motif = { scene: screen, palette, seed: `${screen} in ${palette}` }
    const picture = painted.get(motif.seed) ?? encode(drawPicture(motif, DRAWN_HEIGHT), COVER)
    painted.set(motif.seed, picture)
    gallery.push(await picture)
  }
  return { cover, thumbnail, gallery }
}

async function encode(png: Uint8Array, { width, height }: Size): Promise<ProcessedImage> {
  const bytes = await new Bun.Image(png).resize(width, height).webp({ quality: QUALITY }).bytes()
  return { bytes, sha256: sha256Hex(bytes), width, height }
}
