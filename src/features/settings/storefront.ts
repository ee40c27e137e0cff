import type { Config } from '../../config/config.ts'
import { nameExternalStore } from '../../domain/external-store.ts'
import { DEFAULT_ACCENT, derivePalette, writePalette } from '../../domain/palette.ts'
import type {
  RevisedSettings,
  StoreImageName,
  StoreImages,
  StoreSettings,
} from '../../domain/store-settings.ts'
import type { ShownAnnouncement, Storefront } from '../../domain/storefront.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { renderMarkdown } from '../../lib/text/markdown.ts'
import { listPreloadedFonts, looksPath } from './looks.ts'

const PALETTES = '/assets/palettes'
const HASH_LENGTH = 8
const PALETTE_FILE = /^([0-9a-f]{6})\.([0-9a-f]{8})\.css$/

/** A store while its announcement is shown, and while it is not. */
export interface Fronts {
  announcing: Storefront
  silent: Storefront
}

export function createFronts(
  { baseUrl, payments, extstore }: Pick<Config, 'baseUrl' | 'payments' | 'extstore'>,
  { settings, images }: Pick<RevisedSettings, 'settings' | 'images'>,
): Fronts {
  const palette = settings.accent === DEFAULT_ACCENT ? null : palettePath(settings.accent)
  const sharePath = imagePath(images, 'share_image')
  const shareImage = sharePath && baseUrl + sharePath
  const sells = payments !== null
  const externalStore = nameExternalStore(extstore)
  const silent: Storefront = {
    settings,
    images,
    palette,
    looks: looksPath(settings),
    fonts: listPreloadedFonts(settings),
    sells,
    externalStore,
    shareImage,
    announcement: null,
  }
  const { announcement } = settings
  if (announcement === null) return { announcing: silent, silent }
  const { markdown, level } = announcement
  const shown: ShownAnnouncement = {
    id: sha256Hex(`${level}\n${markdown}`).slice(0, HASH_LENGTH),
    html: renderMarkdown(markdown, baseUrl),
    level,
  }
  return { announcing: { ...silent, announcement: shown }, silent }
}

export function isAnnouncing({ announcement }: Pick<StoreSettings, 'announcement'>, now: Date): boolean {
  if (announcement === null) return false
  const time = now.toISOString()
  return (announcement.from ?? '') <= time && (announcement.until === null || time < announcement.until)
}

/** The path depends only on the accent and the version, so that browsers can cache the sheet forever. */
export function palettePath(accent: string): string {
  const known = paths.get(accent)
  if (known) return known.path
  const hash = sha256Hex(writePalette(derivePalette(accent))).slice(0, HASH_LENGTH)
  const path = `${PALETTES}/${accent.slice(1)}.${hash}.css`
  paths.set(accent, { path })
  return path
}

/** Deriving a palette takes thousands of steps, and every page of a game asks for one. */
const PATHS_MAX = 2000
const paths = new BoundedCache<{ path: string }>({ maxEntries: PATHS_MAX })

/** The style sheet at this path; null if the hash is of another version's sheet. */
export function parsePalette(file: string): string | null {
  const [, accent, hash] = PALETTE_FILE.exec(file) ?? []
  if (accent === undefined) return null
  const text = writePalette(derivePalette(`#${accent}`))
  return sha256Hex(text).startsWith(hash ?? '-') ? text : null
}

const EXTENSIONS: Readonly<Record<StoreImageName, string>> = {
  logo: 'webp',
  logo_dark: 'webp',
  icon: 'png',
  share_image: 'jpg',
}
export const IMAGE_TYPES: Readonly<Record<StoreImageName, string>> = {
  logo: 'image/webp',
  logo_dark: 'image/webp',
  icon: 'image/png',
  share_image: 'image/jpeg',
}
export const ICON_SIDES = [32, 180, 192, 512] as const
export const FULL = 'full'
/** A logo as PNG, made from the full one when it is asked for: many programs for mail show no WebP. */
export const MAIL = 'mail'

/** The path of an image, or of one side of the icon; null where the store has none. */
export function imagePath(images: StoreImages, name: StoreImageName, variant: string = FULL): string | null {
  const image = images[name]
  if (!image) return null
  const shown = name === 'icon' && variant === FULL ? String(ICON_SIDES.at(-1)) : variant
  const extension = variant === MAIL ? 'png' : EXTENSIONS[name]
  return `/media/store/${name}.${shown}.${image.sha256.slice(0, HASH_LENGTH)}.${extension}`
}

const IMAGE_FILE =
  /^(logo|logo_dark|icon(?!\.mail)|share_image(?!\.mail))\.(full|mail|\d{1,4})\.([0-9a-f]{8})\.(?:webp|png|jpg)$/

export function parseImagePath(file: string): { name: StoreImageName; variant: string; hash: string } | null {
  const [, name, variant, hash] = IMAGE_FILE.exec(file) ?? []
  if (name === undefined || variant === undefined || hash === undefined) return null
  return { name: name as StoreImageName, variant, hash }
}
