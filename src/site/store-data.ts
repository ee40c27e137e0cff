import type { Deps } from '../deps.ts'
import type { WebsiteUser } from '../domain/actor.ts'
import { isReporterOn } from '../features/bugs/settings/service.ts'
import { readStableFactsOf } from '../features/builds/channels/stable.ts'
import type { Listing } from '../features/catalog/pages/listing-model.ts'
import { readListingFor } from '../features/catalog/pages/listing.ts'
import { listBetaFiles, listChildren } from '../features/catalog/pages/service.ts'
import { findLicense, readPlayMinutes } from '../features/community/library/service.ts'
import { findOwnReview, readHistogram, readReviewsOf } from '../features/community/reviews/service.ts'
import { readSuggestions } from '../features/community/tags/service.ts'
import { readPlatformHealth } from '../features/telemetry/health/service.ts'
import type { Visit } from '../http/visit.ts'
import { readPage } from '../lib/paging.ts'
import { type Standing, type StoreData, STRANGER } from './pages/store/standing.ts'

const REVIEWS_SHOWN = readPage({ page_size: '5' })
const CHILDREN_SHOWN = readPage({ page_size: '4' })

/** Everything the store page of a listing shows to this visitor. */
export async function readStore(deps: Deps, { actor }: Visit, ref: string): Promise<StoreData> {
  const user = actor.kind === 'user' ? actor : null
  const { listing, game, role } = await readListingFor(deps, user, ref)
  const { db, config } = deps
  const hasChildren = game.visibility === 'public' && (listing.has_mods || listing.has_tools)
  const [standing, reviews, histogram, health, betaFiles, pending, children, takesBugs] = await Promise.all([
    user ? readStanding(deps, user, game.uid, role) : STRANGER,
    readReviewsOf(db, game.uid, REVIEWS_SHOWN),
    readHistogram(db, game.uid),
    readPlatformHealth(db, game.uid),
    user ? listBetaFiles(deps, game.uid) : [],
    readPending(deps, listing),
    hasChildren ? listChildren(deps, game.uid, null, CHILDREN_SHOWN) : { items: [], total: 0 },
    isReporterOn(db, game.uid),
  ])
  return {
    listing,
    visibility: game.visibility,
    standing,
    reviews,
    histogram,
    health,
    betaFiles: standing.isInBeta || role !== null ? betaFiles : [],
    pending,
    children,
    takesBugs,
    tagMinutes: config.tagMinPlayMinutes,
  }
}

async function readStanding(
  { db }: Deps,
  user: WebsiteUser,
  gameUid: string,
  role: Standing['role'],
): Promise<Standing> {
  const { userUid } = user
  const license = await findLicense(db, userUid, gameUid)
  if (!license) return { ...STRANGER, role }
  const [review, playMinutes, { tags }] = await Promise.all([
    findOwnReview(db, userUid, gameUid),
    readPlayMinutes(db, userUid, gameUid),
    readSuggestions(db, user, gameUid),
  ])
  return { role, hasLicense: true, isInBeta: license.beta, review, playMinutes, suggested: tags }
}

async function readPending({ db }: Deps, { uid, files }: Listing): Promise<StoreData['pending']> {
  if (files.length > 0) return null
  const facts = (await readStableFactsOf(db, [uid])).get(uid)
  if (!facts || facts.scan === 'clean') return null
  return facts.scan === 'scanning' ? 'scanning' : 'refused'
}
