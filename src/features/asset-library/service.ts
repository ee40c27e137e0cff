import type { SearchEngine, SearchHits, SearchQuery } from '../../clients/search/search-engine.ts'
import type { Deps } from '../../deps.ts'
import type { Anonymous, Player } from '../../domain/actor.ts'
import { PACKAGE_TYPES, type PackageKind } from '../../domain/listings/editor-packages.ts'
import { AppError } from '../../errors.ts'
import { bytesOfResponse, type PreparedResponse, prepareJson } from '../../http/prepared.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { listOwnedUids } from '../community/library/service.ts'
import { ALL_GAMES, GAME_CHANGED } from '../games/service.ts'
import { createConfirmation, stateOf } from './confirm.ts'
import { type Package, type PackageDetails, readDetails, readPackages } from './packages.ts'
import { findPackageUid } from './queries.ts'

const MAX_BYTES = 16 * 1024 ** 2
/** Expires entries as a fallback for a lost notification. */
const LIFETIME_MS = 60_000

interface CachedResponse {
  uid: string
  state: string
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
  const isCurrent = createConfirmation(deps.database)
  // The engine returns the same object until its index changes, which is when a page of results is stale.
  const pages = new WeakMap<SearchHits, Map<string, Omit<CachedResponse, 'uid'>>>()
  const details = new BoundedCache<CachedResponse>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ response }) => bytesOfResponse(response),
    lifetimeMs: LIFETIME_MS,
  })
  const invalidate = (changed: string) =>
    changed === ALL_GAMES ? details.clear() : details.deleteWhere(({ uid }) => uid === changed)
  await deps.database.listen(GAME_CHANGED, invalidate, () => details.clear())

  async function search({ as, query, kind, ownedUids, show }: PackageSearch): Promise<PreparedResponse> {
    const hits = await engine.search(query)
    if (hits.hits.length === 0) return prepareJson(show([], hits.total))
    const known = pages.get(hits) ?? new Map<string, Omit<CachedResponse, 'uid'>>()
    const cached = known.get(as)
    if (cached && (await isCurrent(cached.state))) return cached.response
    const found = await readPackages(
      deps,
      hits.hits.map(({ uid }) => uid),
    )
    const shown = found.filter(
      ({ uid, isOpen, category }) =>
        (isOpen || ownedUids.includes(uid)) && (kind === 'any' || category.kind === kind),
    )
    const response = prepareJson(show(shown, hits.total))
    pages.set(hits, known.set(as, { state: stateOf(shown), response }))
    return response
  }

  async function read(key: number | string, as: string, show: (found: PackageDetails) => unknown) {
    const name = `${as} ${key}`
    const cached = details.get(name)
    if (cached && (await isCurrent(cached.state)) && details.get(name) === cached) return cached.response
    const store = details.beginRead()
    const uid = await findPackageUid(deps.db, key)
    const found = uid === undefined ? null : await readDetails(deps, uid)
    if (!found) throw new AppError('not_found')
    const response = prepareJson(show(found))
    store(name, { uid: found.uid, state: stateOf([found]), response })
    return response
  }

  return { deps, engine, search, read }
}

/** What the visitor may install beyond what anyone may. */
export async function listOwned({ db }: Deps, visitor: Anonymous | Player): Promise<readonly string[]> {
  return visitor.kind === 'anonymous' ? [] : await listOwnedUids(db, visitor.userUid, PACKAGE_TYPES)
}
