import type { Deps } from '../../deps.ts'
import {
  categoryOf,
  EDITOR_ENGINE,
  type EditorCategory,
  fitsEditor,
} from '../../domain/listings/editor-packages.ts'
import { compareVersions, type EngineRange, parseVersion } from '../../domain/listings/engine-range.ts'
import { countRecommendations } from '../community/reviews/service.ts'
import { listShownTagsOf } from '../community/tags/service.ts'
import { readCovers, readPageImages } from '../listings/images/service.ts'
import { variantUrl } from '../listings/images/variants.ts'
import { findDescription, listPackageRows, type PackageRow } from './queries.ts'

/** A listing as editors show it, in the terms of neither protocol. */
export interface Package extends Omit<PackageRow, 'ranges' | 'assetType'> {
  category: EditorCategory
  /** The declared versions of the editor's engine, the oldest first; none for every version. */
  ranges: readonly EngineRange[]
  /** How many players recommend it. */
  rating: number
  /** PNG; null without any picture. */
  icon: string | null
}

export interface PackageDetails extends Package {
  /** Markdown. */
  description: string
  /** JPEG. */
  previews: readonly { small: string; large: string }[]
}

/** Omits listings that no editor can install. In the order given; the number of queries is constant. */
export async function readPackages(deps: Deps, uids: readonly string[]): Promise<Package[]> {
  const { db } = deps
  const [rows, covers, tags, ratings] = await Promise.all([
    listPackageRows(db, uids),
    readCovers(deps, uids),
    listShownTagsOf(db, uids),
    countRecommendations(db, uids),
  ])
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return uids.flatMap((uid) => {
    const row = byUid.get(uid)
    if (!row) return []
    const { cover = null, thumbnail = null } = covers.get(uid) ?? {}
    const { ranges, assetType, ...shown } = row
    const allTags = [...row.tags, ...(tags.get(uid) ?? []).map(({ tag }) => tag)]
    const category = categoryOf({ assetType, tags: allTags })
    const own = ranges.filter(({ engine }) => engine === EDITOR_ENGINE).toSorted(byMinimum)
    if (!category || !fitsEditor(ranges)) return []
    const picture = thumbnail ?? cover
    return [
      {
        ...shown,
        tags: allTags,
        category,
        ranges: own,
        rating: ratings.get(uid) ?? 0,
        icon: picture && variantUrl(picture.url, 'icon.png'),
      },
    ]
  })
}

export async function readDetails(deps: Deps, uid: string): Promise<PackageDetails | null> {
  const [[found], description, { cover, gallery }] = await Promise.all([
    readPackages(deps, [uid]),
    findDescription(deps.db, uid),
    readPageImages(deps, uid),
  ])
  if (!found) return null
  const pictures = gallery.length > 0 || cover === null ? gallery : [cover]
  const previews = pictures.map(({ url }) => ({
    small: variantUrl(url, 'small.jpg'),
    large: variantUrl(url, 'large.jpg'),
  }))
  return { ...found, description, previews }
}

function byMinimum(left: EngineRange, right: EngineRange): number {
  return compareVersions(parseVersion(left.min_version) ?? [], parseVersion(right.min_version) ?? [])
}
