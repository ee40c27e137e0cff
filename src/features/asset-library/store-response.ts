import { LICENSE_KINDS, type LicenseKind } from '../../domain/listings/licenses.ts'
import { listingUrl } from '../../domain/site-urls.ts'
import { escapeBBCode, renderBBCode } from '../../lib/text/bbcode.ts'
import { downloadUrl, licenseOf } from './library-response.ts'
import type { Package, PackageDetails } from './packages.ts'
import type { StoreAsset, StoreHits, StoreReleases, StoreRow, StoreTag } from './store-model.ts'

const LICENSE_URLS: Readonly<Partial<Record<LicenseKind, string>>> = {
  cc0: 'https://creativecommons.org/publicdomain/zero/1.0/',
  'cc-by': 'https://creativecommons.org/licenses/by/4.0/',
  'cc-by-sa': 'https://creativecommons.org/licenses/by-sa/4.0/',
}
/** Editors read missing parts of a maximum as 0, but a maximum of 4.2 covers every 4.2.x. */
const VERSION_PARTS = 3
const LAST_PART = '999'
/** For a package without ranges. */
const EVERY_VERSION = { min_version: '1.0', max_version: LAST_PART } as const

export const STORE_LICENSES = LICENSE_KINDS.map((type) => ({ type }))

export function toHits(baseUrl: string, packages: readonly Package[], count: number): StoreHits {
  return { count, hits: packages.map((found) => ({ asset: toRow(baseUrl, found) })) }
}

export function toStoreAsset(baseUrl: string, found: PackageDetails): StoreAsset {
  return {
    ...toRow(baseUrl, found),
    body_bbcode: renderBBCode(found.description),
    source: found.website ?? '',
    tags: found.tags.map(toTag),
    media: found.previews.map(({ large }) => large),
  }
}

export function toReleases(baseUrl: string, found: PackageDetails): StoreReleases {
  const changes = found.changes.map(({ title, description }) =>
    escapeBBCode(description === '' ? `• ${title}` : `• ${title}: ${description}`),
  )
  return (found.ranges.length === 0 ? [EVERY_VERSION] : found.ranges).map(({ min_version, max_version }) => ({
    download_url: downloadUrl(baseUrl, found),
    version: found.version,
    stable: true,
    min_godot_version: min_version,
    max_godot_version: fillVersion(max_version),
    changes_bbcode: changes.join('\n'),
  }))
}

/** `pixel-art` is shown as `Pixel art`. */
export function toTag(slug: string): StoreTag {
  const words = slug.replaceAll('-', ' ')
  return { display_name: words.charAt(0).toUpperCase() + words.slice(1), slug }
}

function toRow(baseUrl: string, found: Package): StoreRow {
  const store_url = listingUrl(baseUrl, found.slug)
  return {
    name: found.title,
    slug: found.slug,
    store_url,
    license_type: licenseOf(found),
    license_url: (found.license && LICENSE_URLS[found.license]) ?? store_url,
    reviews_score: found.rating,
    publisher: { name: found.author, slug: found.author, verified: false },
    thumbnail: found.icon ?? '',
  }
}

function fillVersion(version: string): string {
  const parts = version.split('.')
  const missing = Math.max(0, VERSION_PARTS - parts.length)
  return [...parts, ...Array<string>(missing).fill(LAST_PART)].join('.')
}
