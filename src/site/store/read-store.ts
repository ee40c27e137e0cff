import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { isReporterOn } from '../../features/bugs/settings/service.ts'
import { readUnscanned } from '../../features/builds/channels/stable-files.ts'
import { createListingCache, type ListingCache } from '../../features/catalog/pages/listing-cache.ts'
import { toListing } from '../../features/catalog/pages/listing.ts'
import { listBetaFiles, listChildren } from '../../features/catalog/pages/service.ts'
import { findLicense, readPlayMinutes } from '../../features/community/library/service.ts'
import { findOwnReview, readReviewsOf } from '../../features/community/reviews/service.ts'
import { readSuggestions } from '../../features/community/tags/service.ts'
import { type GameRow, maySeePage, openPage, openPublicGame } from '../../features/games/service.ts'
import { readHeldEditions } from '../../features/selling/orders/held.ts'
import { readSale } from '../../features/selling/payouts/service.ts'
import { readPlatformHealth } from '../../features/telemetry/health/service.ts'
import type { Visit } from '../../http/visit.ts'
import { readPage } from '../../lib/paging.ts'
import { type Standing, type StoreData, STRANGER } from './store-data.ts'

const REVIEWS_SHOWN = readPage({ page_size: '5' })
const CHILDREN_SHOWN = readPage({ page_size: '4' })
const NO_CHILDREN: StoreData['children'] = { items: [], total: 0 }

/** Reviews show the play time of their writers, which is not announced. */
const LIFETIME_MS = 10_000

export type StoreCache = ListingCache<StoreData>

/** What everybody sees of an open page. */
export async function createStoreCache(deps: Deps): Promise<StoreCache> {
  return await createListingCache<StoreData>(deps, {
    bytesOf: (store) => JSON.stringify(store).length * 2,
    lifetimeMs: LIFETIME_MS,
  })
}

/** Everything the store page of a listing shows to this visitor. */
export async function readStore(
  deps: Deps,
  cache: StoreCache,
  { actor }: Visit,
  ref: string,
): Promise<StoreData> {
  const readShared = async () =>
    await cache.read(ref, async (from) => {
      const value = await loadShared(from, await openPublicGame(from.db, ref))
      return { value, listing: value.listing, shows: value.children.items.map(({ uid }) => uid) }
    })
  if (actor.kind !== 'user') return await readShared()
  const { game, role } = await openPage(deps.db, actor, ref)
  const [shared, standing, betaFiles] = await Promise.all([
    maySeePage(game.visibility, null) ? readShared() : loadShared(deps, game),
    readStanding(deps, actor, game.uid, role),
    listBetaFiles(deps, game.uid),
  ])
  return { ...shared, standing, betaFiles: standing.isInBeta || role !== null ? betaFiles : [] }
}

async function loadShared(deps: Deps, game: GameRow): Promise<StoreData> {
  const { db, config } = deps
  const { uid, visibility } = game
  const [listing, reviews, health, unscanned, takesBugs, sale] = await Promise.all([
    toListing(deps, game),
    readReviewsOf(db, uid, REVIEWS_SHOWN),
    readPlatformHealth(db, uid),
    readUnscanned(db, uid),
    isReporterOn(db, uid),
    readSale(deps, game),
  ])
  const hasChildren = visibility === 'public' && (listing.has_mods || listing.has_tools)
  return {
    listing,
    visibility,
    takenDown: game.takenDown,
    standing: STRANGER,
    reviews,
    health,
    betaFiles: [],
    unscanned,
    children: hasChildren ? await listChildren(deps, null, uid, null, CHILDREN_SHOWN) : NO_CHILDREN,
    takesBugs,
    sale,
    tagMinutes: config.tagMinPlayMinutes,
  }
}

async function readStanding(
  deps: Deps,
  user: WebsiteUser,
  gameUid: string,
  role: Standing['role'],
): Promise<Standing> {
  const { db } = deps
  const { userUid } = user
  const license = await findLicense(db, userUid, gameUid)
  const held = deps.payments ? await readHeldEditions(db, userUid, gameUid) : []
  if (!license) return { ...STRANGER, role, held }
  const [review, playMinutes, { tags }] = await Promise.all([
    findOwnReview(db, userUid, gameUid),
    readPlayMinutes(db, userUid, gameUid),
    readSuggestions(db, user, gameUid),
  ])
  return { role, hasLicense: true, isInBeta: license.beta, review, playMinutes, suggested: tags, held }
}
