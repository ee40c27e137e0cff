import type { SearchEngine, SearchHits, SearchQuery } from '../../clients/search/search-engine.ts'
import type { Deps } from '../../deps.ts'
import type { Anonymous, Player } from '../../domain/actor.ts'
import {
  categoryOf,
  EDITOR_ENGINE,
  type EditorCategory,
  fitsEditor,
  PACKAGE_TYPES,
  type PackageKind,
} from '../../domain/listings/editor-packages.ts'
import { compareVersions, type EngineRange, parseVersion } from '../../domain/listings/engine-range.ts'
import { AppError } from '../../errors.ts'
import { bytesOfResponse, type PreparedResponse, prepareJson } from '../../lib/net/prepared-response.ts'
import { type Downloads, linkForVisitor, parseVisit, recordAttempt } from '../catalog/downloads/service.ts'
import { listOwnedUids } from '../community/library/service.ts'
import { listRatingsOf } from '../community/reviews/service.ts'
import { listShownTagsOf } from '../community/tags/service.ts'
import { createGamesCache, listStates, stateOf } from '../games/confirm.ts'
import { loadCovers, loadPageImages } from '../listings/images/service.ts'
import { variantUrl } from '../listings/images/variants.ts'
import {
  findDescription,
  findPackageFile,
  findPackageUid,
  listPackageRows,
  type PackageRow,
} from './queries.ts'

const MAX_BYTES = 16 * 1024 ** 2
const LIFETIME_MS = 60_000
const ASSET_ID = /^[1-9]\d{0,9}$/
/** Editors read numbers as 32-bit integers. */
const ASSET_ID_MAX = 2 ** 31 - 1

/** A listing as editors show it, independent of the protocol. */
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
async function listPackages(deps: Deps, uids: readonly string[]): Promise<Package[]> {
  const { db } = deps
  const [rows, covers, tags, ratings] = await Promise.all([
    listPackageRows(db, uids),
    loadCovers(deps, uids),
    listShownTagsOf(db, uids),
    listRatingsOf(db, uids),
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
        rating: ratings.get(uid)?.recommendations ?? 0,
        icon: picture && variantUrl(picture.url, 'icon.png'),
      },
    ]
  })
}

async function findDetails(deps: Deps, uid: string): Promise<PackageDetails | null> {
  const [[found], description, { cover, gallery }] = await Promise.all([
    listPackages(deps, [uid]),
    findDescription(deps.db, uid),
    loadPageImages(deps, uid),
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

interface CachedPage {
  states: readonly string[]
  response: PreparedResponse
}

interface PackageSearch {
  /** Names the form of the response, because one search can be shown in several. */
  as: string
  query: SearchQuery
  /** Limits the rows to one kind: editors reject a whole list with a category of another. */
  kind: PackageKind | 'any'
  ownedUids: readonly string[]
  show(packages: readonly Package[], total: number): unknown
}

export interface AssetLibrary {
  deps: Deps
  engine: SearchEngine
  search(search: PackageSearch): Promise<PreparedResponse>
  /** `key` is a package's number or slug; `as` names the form of the response. */
  read(key: number | string, as: string, show: (found: PackageDetails) => unknown): Promise<PreparedResponse>
}

/** Responses are cached; before one is sent, the database confirms that its packages are unchanged and public. */
export async function openAssetLibrary(deps: Deps, engine: SearchEngine): Promise<AssetLibrary> {
  // The engine returns the same object until its index changes, which is when a page of results is stale.
  const pages = new WeakMap<SearchHits, Map<string, CachedPage>>()
  const details = await createGamesCache<CachedPage>(deps.database, {
    maxBytes: MAX_BYTES,
    lifetimeMs: LIFETIME_MS,
    bytesOf: ({ response }) => bytesOfResponse(response),
    originOf: ({ states }) => ({ states }),
  })

  async function search({ as, query, kind, ownedUids, show }: PackageSearch): Promise<PreparedResponse> {
    const hits = await engine.search(query)
    if (hits.hits.length === 0) return prepareJson(show([], hits.total))
    const known = pages.get(hits) ?? new Map<string, CachedPage>()
    const cached = known.get(as)
    if (cached && (await details.isCurrent(cached.states))) return cached.response
    const uids = hits.hits.map(({ uid }) => uid)
    const found = await listPackages(deps, uids)
    const shown = found.filter(
      ({ uid, isOpen, category }) =>
        (isOpen || ownedUids.includes(uid)) && (kind === 'any' || category.kind === kind),
    )
    const response = prepareJson(show(shown, hits.total))
    // Includes the states of hidden listings, so that the page is made again when they become public.
    pages.set(hits, known.set(as, { states: listStates(uids, found, stateOfPackage), response }))
    return response
  }

  async function read(key: number | string, as: string, show: (found: PackageDetails) => unknown) {
    const name = `${as} ${key}`
    const { response } = await details.load(name, async () => {
      const uid = await findPackageUid(deps.db, key)
      const found = uid === undefined ? null : await findDetails(deps, uid)
      if (!found) throw new AppError('not_found')
      return { states: [stateOfPackage(found)], response: prepareJson(show(found)) }
    })
    return response
  }

  return { deps, engine, search, read }
}

/** Only public listings that are not adult are packages. */
function stateOfPackage({ uid, updatedAt }: Package): string {
  return stateOf({ uid, visibility: 'public', adult: false, updatedAt })
}

/** Packages that the visitor may install in addition to those for everyone. */
export async function listOwned({ db }: Deps, visitor: Anonymous | Player): Promise<readonly string[]> {
  return visitor.kind === 'anonymous' ? [] : await listOwnedUids(db, visitor.userUid, PACKAGE_TYPES)
}

/** Throws not_found for anything that is not a package number. */
export function parseAssetId(text: string): number {
  const id = ASSET_ID.test(text) ? Number(text) : 0
  if (id === 0 || id > ASSET_ID_MAX) throw new AppError('not_found')
  return id
}

/** The newest stable zip of a package. */
export async function findFileOf({ deps }: Downloads, assetId: string): Promise<string | undefined> {
  const gameUid = await findPackageUid(deps.db, parseAssetId(assetId))
  return gameUid === undefined ? undefined : await findPackageFile(deps.db, gameUid)
}

/** Returns a link to it. */
export async function linkPackage(
  downloads: Downloads,
  visitor: Anonymous | Player,
  assetId: string,
  headers: Headers,
): Promise<string> {
  const { deps, log } = downloads
  const fileUid = await findFileOf(downloads, assetId)
  const visit = parseVisit(headers, deps.config.countryHeader)
  const attempt = { source: 'asset_library', fileUid: fileUid ?? '', visit } as const
  const { url } = await recordAttempt(log, attempt, () => linkForVisitor(downloads, visitor, fileUid ?? ''))
  return url
}
