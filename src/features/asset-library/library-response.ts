import { EDITOR_CATEGORIES, PACKAGE_KINDS } from '../../domain/listings/editor-packages.ts'
import { accountUrl, ASSET_LIBRARY_PATH, listingUrl } from '../../domain/site-urls.ts'
import { renderBBCode } from '../../lib/text/bbcode.ts'
import {
  type Configuration,
  type LibraryAsset,
  type LibraryPage,
  type LibraryRow,
  SUPPORT_LEVEL,
} from './model.ts'
import type { Package, PackageDetails } from './packages.ts'

/** Shown next to the author when the developer chose no licence. */
const NO_LICENSE = 'no licence stated'

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
    result: packages.map(toRow),
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
    ...toRow(found),
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

export function downloadUrl(baseUrl: string, { assetId }: Package): string {
  return `${baseUrl}${ASSET_LIBRARY_PATH}/asset/${assetId}/download`
}

export function licenseOf({ license }: Package): string {
  return license ?? NO_LICENSE
}

function toRow(found: Package): LibraryRow {
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
