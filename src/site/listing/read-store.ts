import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { isReporterOn } from '../../features/bugs/settings/service.ts'
import { listUnscanned } from '../../features/builds/channels/stable-files.ts'
import { createListingCache, type ListingCache } from '../../features/catalog/pages/listing-cache.ts'
import { toListing } from '../../features/catalog/pages/listing.ts'
import { listBetaFiles, listChildren } from '../../features/catalog/pages/service.ts'
import { findLicense, loadPlayMinutes } from '../../features/community/library/service.ts'
import { listNewestPosts } from '../../features/community/posts/public-posts.ts'
import { toBrief } from '../../features/community/posts/responses.ts'
import { findOwnReview, loadReviewsOf } from '../../features/community/reviews/service.ts'
import { loadSuggestions } from '../../features/community/tags/service.ts'
import { type GameRow, maySeePage, openPage, openPublicGame } from '../../features/games/service.ts'
import { listJamsOfGame } from '../../features/jams/entries/list.ts'
import { listPlacings } from '../../features/jams/results/service.ts'
import { listOwnedEditions } from '../../features/selling/orders/service.ts'
import { findSale } from '../../features/selling/payouts/service.ts'
import { listPlatformHealth } from '../../features/telemetry/health/service.ts'
import type { Visit } from '../../http/visit.ts'
import { parsePage } from '../../lib/paging.ts'
import { GUEST, type StoreData, type VisitorRelation } from './store-data.ts'

const REVIEWS_SHOWN = parsePage({ page_size: '5' })
/** Besides the pinned one. */
const POSTS_SHOWN = 2
const CHILDREN_SHOWN = parsePage({ page_size: '4' })
const NO_CHILDREN: StoreData['children'] = { items: [], total: 0 }

/** Pages expire because reviews show their writers' play time, whose changes are not announced. */
const LIFETIME_MS = 10_000

export type StoreCache = ListingCache<StoreData>

/** Caches the part of public store pages that is the same for everybody. */
export async function createStoreCache(deps: Deps): Promise<StoreCache> {
  return await createListingCache<StoreData>(deps, {
    bytesOf: (store) => JSON.stringify(store).length * 2,
    lifetimeMs: LIFETIME_MS,
  })
}

/** Everything the store page of a listing shows to this visitor. */
export async function loadStore(
  deps: Deps,
  cache: StoreCache,
  { actor }: Visit,
  ref: string,
): Promise<StoreData> {
  const readShared = () => loadGuestStore(cache, ref)
  if (actor.kind !== 'user') return await readShared()
  const { game, role } = await openPage(deps.db, actor, ref)
  const [shared, standing, betaFiles] = await Promise.all([
    maySeePage(game.visibility, null) ? readShared() : loadShared(deps, game),
    loadVisitorRelation(deps, actor, game.uid, role),
    listBetaFiles(deps, game.uid),
  ])
  return { ...shared, standing, betaFiles: standing.isInBeta || role !== null ? betaFiles : [] }
}

/** The page as everybody sees it. */
export async function loadGuestStore(cache: StoreCache, ref: string): Promise<StoreData> {
  return await cache.read(ref, async (from) => {
    const value = await loadShared(from, await openPublicGame(from.db, ref))
    return { value, listing: value.listing, shows: value.children.items.map(({ uid }) => uid) }
  })
}

async function loadShared(deps: Deps, game: GameRow): Promise<StoreData> {
  const { db, config } = deps
  const { uid, visibility } = game
  const [listing, reviews, posts, health, placings, unscanned, acceptsBugReports, sale, jams] =
    await Promise.all([
      toListing(deps, game),
      loadReviewsOf(deps, uid, REVIEWS_SHOWN),
      listNewestPosts(deps, game, POSTS_SHOWN),
      listPlatformHealth(db, uid),
      listPlacings(db, uid),
      listUnscanned(db, uid),
      isReporterOn(db, uid),
      findSale(deps, game),
      listJamsOfGame(db, uid),
    ])
  const hasChildren = visibility === 'public' && (listing.has_mods || listing.has_tools)
  return {
    listing,
    visibility,
    takenDown: game.takenDown,
    standing: GUEST,
    reviews,
    posts: posts.map(toBrief),
    health,
    placings,
    betaFiles: [],
    unscanned,
    children: hasChildren ? await listChildren(deps, null, uid, null, CHILDREN_SHOWN) : NO_CHILDREN,
    acceptsBugReports,
    sale,
    jams,
    tagMinutes: config.tagMinPlayMinutes,
  }
}

async function loadVisitorRelation(
  deps: Deps,
  user: WebsiteUser,
  gameUid: string,
  role: VisitorRelation['role'],
): Promise<VisitorRelation> {
  const { db } = deps
  const { userUid } = user
  const license = await findLicense(db, userUid, gameUid)
  const held = deps.payments ? await listOwnedEditions(db, userUid, gameUid) : []
  if (!license) return { ...GUEST, role, held }
  const [review, playMinutes, { tags }] = await Promise.all([
    findOwnReview(deps, userUid, gameUid),
    loadPlayMinutes(db, userUid, gameUid),
    loadSuggestions(db, user, gameUid),
  ])
  return { role, hasLicense: true, isInBeta: license.beta, review, playMinutes, suggested: tags, held }
}
