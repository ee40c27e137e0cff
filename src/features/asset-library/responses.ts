import { EDITOR_CATEGORIES, PACKAGE_KINDS } from '../../domain/listings/editor-packages.ts'
import { LICENSE_KINDS, type LicenseKind } from '../../domain/listings/listing.ts'
import { accountUrl, ASSET_LIBRARY_PATH, listingUrl } from '../../domain/site-urls.ts'
import { escapeBBCode, renderBBCode } from '../../lib/text/bbcode.ts'
import {
  type Configuration,
  type LibraryAsset,
  type LibraryPage,
  type LibraryRow,
  type StoreAsset,
  type StoreHits,
  type StoreReleases,
  type StoreRow,
  type StoreTag,
  SUPPORT_LEVEL,
} from './model.ts'
import type { Package, PackageDetails } from './service.ts'

/** Shown next to the author when the developer chose no licence. */
const NO_LICENSE = 'no licence stated'
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

/** The categories that packages of this type can have; editors reject a list with any other. */
export function toConfiguration(baseUrl: string, type: string | undefined): Configuration {
  const kind = PACKAGE_KINDS.find((known) => known === type) ?? 'addon'
  const shown = EDITOR_CATEGORIES.filter((category) => type === 'any' || category.kind === kind)
  return {
    categories: shown
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, name, kind: own }) => ({ id: String(id), name, type: own === 'addon' ? '0' : '1' })),
    login_url: accountUrl(baseUrl),
  }
}

export function toPage(
  packages: readonly Package[],
  { page, pageLength, total }: { page: number; pageLength: number; total: number },
): LibraryPage {
  return {
    result: packages.map(toLibraryRow),
    page,
    pages: Math.ceil(total / pageLength),
    page_length: pageLength,
    total_items: total,
    total,
  }
}

export function toAsset(baseUrl: string, found: PackageDetails): LibraryAsset {
  const page = listingUrl(baseUrl, found.slug)
  return {
    ...toLibraryRow(found),
    type: found.category.kind,
    description: renderBBCode(found.description),
    download_provider: 'Custom',
    download_commit: '',
    download_hash: found.checksum,
    download_url: downloadUrl(baseUrl, found),
    browse_url: page,
    issues_url: found.website ?? page,
    searchable: '1',
    previews: found.previews.map(({ small, large }, index) => ({
      preview_id: String(index + 1),
      type: 'image',
      link: large,
      thumbnail: small,
    })),
  }
}

function downloadUrl(baseUrl: string, { assetId }: Package): string {
  return `${baseUrl}${ASSET_LIBRARY_PATH}/asset/${assetId}/download`
}

function licenseOf({ license }: Package): string {
  return license ?? NO_LICENSE
}

function toLibraryRow(found: Package): LibraryRow {
  const { category } = found
  return {
    asset_id: String(found.assetId),
    title: found.title,
    author: found.author,
    author_id: String(found.authorId),
    category: category.name,
    category_id: String(category.id),
    godot_version: found.ranges[0]?.min_version ?? '',
    rating: String(found.rating),
    cost: licenseOf(found),
    support_level: SUPPORT_LEVEL,
    icon_url: found.icon ?? '',
    version: String(found.releases),
    version_string: found.version,
    modify_date: found.releasedAt.toISOString().slice(0, 19).replace('T', ' '),
  }
}

export const STORE_LICENSES = LICENSE_KINDS.map((type) => ({ type }))

export function toHits(baseUrl: string, packages: readonly Package[], count: number): StoreHits {
  return { count, hits: packages.map((found) => ({ asset: toStoreRow(baseUrl, found) })) }
}

export function toStoreAsset(baseUrl: string, found: PackageDetails): StoreAsset {
  return {
    ...toStoreRow(baseUrl, found),
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

function toStoreRow(baseUrl: string, found: Package): StoreRow {
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
