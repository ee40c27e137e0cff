import type { SearchEngine, SearchHits, SearchQuery } from '../../clients/search/search-engine.ts'
import type { Deps } from '../../deps.ts'
import type { Anonymous, Player } from '../../domain/actor.ts'
import { PACKAGE_TYPES, type PackageKind } from '../../domain/listings/editor-packages.ts'
import { AppError } from '../../errors.ts'
import { bytesOfResponse, type PreparedResponse, prepareJson } from '../../lib/net/prepared.ts'
import { listOwnedUids } from '../community/library/service.ts'
import { listStates, stateOf } from '../games/confirm.ts'
import { createConfirmedCache } from '../games/confirmed-cache.ts'
import { type Package, type PackageDetails, readDetails, readPackages } from './packages.ts'
import { findPackageUid } from './queries.ts'

const MAX_BYTES = 16 * 1024 ** 2
const LIFETIME_MS = 60_000

interface CachedPage {
  states: readonly string[]
  response: PreparedResponse
}

export interface PackageSearch {
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
  const details = await createConfirmedCache<PreparedResponse>(deps.database, {
    maxBytes: MAX_BYTES,
    lifetimeMs: LIFETIME_MS,
    bytesOf: bytesOfResponse,
  })

  async function search({ as, query, kind, ownedUids, show }: PackageSearch): Promise<PreparedResponse> {
    const hits = await engine.search(query)
    if (hits.hits.length === 0) return prepareJson(show([], hits.total))
    const known = pages.get(hits) ?? new Map<string, CachedPage>()
    const cached = known.get(as)
    if (cached && (await details.isCurrent(cached.states))) return cached.response
    const uids = hits.hits.map(({ uid }) => uid)
    const found = await readPackages(deps, uids)
    const shown = found.filter(
      ({ uid, isOpen, category }) =>
        (isOpen || ownedUids.includes(uid)) && (kind === 'any' || category.kind === kind),
    )
    const response = prepareJson(show(shown, hits.total))
    // Without the states of hidden ones, a page would stay as it is when they are public again.
    pages.set(hits, known.set(as, { states: listStates(uids, found, stateOfPackage), response }))
    return response
  }

  async function read(key: number | string, as: string, show: (found: PackageDetails) => unknown) {
    const name = `${as} ${key}`
    const known = (await details.find([name])).get(name)
    if (known) return known
    const store = details.beginRead()
    const uid = await findPackageUid(deps.db, key)
    const found = uid === undefined ? null : await readDetails(deps, uid)
    if (!found) throw new AppError('not_found')
    const response = prepareJson(show(found))
    store(name, response, { states: [stateOfPackage(found)] })
    return response
  }

  return { deps, engine, search, read }
}

/** Only public listings that are not adult are packages. */
function stateOfPackage({ uid, updatedAt }: Package): string {
  return stateOf({ uid, visibility: 'public', adult: false, updatedAt })
}

/** What the visitor may install beyond what anyone may. */
export async function listOwned({ db }: Deps, visitor: Anonymous | Player): Promise<readonly string[]> {
  return visitor.kind === 'anonymous' ? [] : await listOwnedUids(db, visitor.userUid, PACKAGE_TYPES)
}
