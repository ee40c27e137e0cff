import { lockIndex } from '../../../clients/search/postgres/write/index-queries.ts'
import { prepareDocuments } from '../../../clients/search/postgres/write/prepare-documents.ts'
import { writeIndex } from '../../../clients/search/postgres/write/write-index.ts'
import { platformTokens } from '../../../clients/search/search-engine.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { HealthBand } from '../../../domain/builds/health.ts'
import { fitsEditor, PACKAGE_TYPES } from '../../../domain/listings/editor-packages.ts'
import { PLAYABLE, priceBandOf, ratingValuesOf } from '../../../domain/listings/facets.ts'
import type { SearchDocument, SearchPackage } from '../../../domain/listings/search-document.ts'
import { absorbWaiting } from '../../../jobs/queue.ts'
import { textOfMarkdown } from '../../../lib/text/markdown.ts'
import { listRatingsOf, type RatingSums } from '../../community/reviews/service.ts'
import type { CommunityTag } from '../../community/tags/model.ts'
import { listShownTagsOf } from '../../community/tags/service.ts'
import { indexListings } from '../../games/jobs.ts'
import { loadBandsOf } from '../../telemetry/health/service.ts'
import { markMirrorsBehind } from './mirror-queries.ts'
import * as queries from './queries.ts'
import { listPlatforms, listPublicGames, listPublicGamesFrom, type PublicGame } from './queries.ts'
import { findReindex } from './reindex-queries.ts'

const BATCH = 1000
const MILLION = 1_000_000
const NOT_RATED: RatingSums = { reviews: 0, stars: 0, recommendations: 0 }

/**
 * Applies every committed change to the index and returns how many listings it processed. The lock is taken before
 * reading, so that an older state never overwrites a newer one.
 */
export async function indexChanges({ db }: Pick<Deps, 'db'>, signal?: AbortSignal): Promise<number> {
  for (let done = 0; ;) {
    signal?.throwIfAborted()
    const taken = await db.transaction(async (tx) => {
      await lockIndex(tx)
      await absorbWaiting(tx, indexListings)
      const uids = await queries.takeChanges(tx, BATCH)
      if (uids.length === 0) return 0
      const documents = await loadDocuments(tx, uids)
      const prepared = await prepareDocuments(documents)
      // A reindex reads listings before it takes the lock, and detects by their versions what was indexed
      // since.
      const force = (await findReindex(tx)) !== null
      await writeIndex(tx, prepared, missingOf(uids, documents), { force })
      await markMirrorsBehind(tx)
      return uids.length
    })
    if (taken === 0) return done
    done += taken
  }
}

/** Listings that are no longer public or were deleted. */
function missingOf(uids: readonly string[], documents: readonly { uid: string }[]): string[] {
  const found = new Set(documents.map(({ uid }) => uid))
  return uids.filter((uid) => !found.has(uid))
}

type Platform = Awaited<ReturnType<typeof listPlatforms>>[number]

/** Current documents of the public ones among these listings. The number of queries is constant. */
export async function loadDocuments(db: Db, uids: readonly string[]): Promise<SearchDocument[]> {
  return await toDocuments(db, await listPublicGames(db, uids))
}

/** The next `count` public listings in the order of their uids, and the uid that follows; null at the end. */
export async function loadDocumentsFrom(
  db: Db,
  fromUid: string,
  count: number,
): Promise<{ documents: SearchDocument[]; nextUid: string | null }> {
  const games = await listPublicGamesFrom(db, fromUid, count + 1)
  return { documents: await toDocuments(db, games.slice(0, count)), nextUid: games[count]?.uid ?? null }
}

async function toDocuments(db: Db, games: readonly PublicGame[]): Promise<SearchDocument[]> {
  const found = games.map(({ uid }) => uid)
  const [tags, bands, platforms, ratings] = await Promise.all([
    listShownTagsOf(db, found),
    loadBandsOf(db, found),
    listPlatforms(db, found),
    listRatingsOf(db, found),
  ])
  const byGame = Map.groupBy(platforms, ({ gameUid }) => gameUid)
  return games.map((game) => {
    const own = byGame.get(game.uid) ?? []
    const rating = ratings.get(game.uid) ?? NOT_RATED
    return {
      ...toDocument(game, {
        communityTags: tags.get(game.uid) ?? [],
        band: bands.get(game.uid),
        rating,
        platforms: own,
      }),
      package: toPackage(game, own, rating.recommendations),
    }
  })
}

/** Null unless an editor can install it. Adult listings are never in the asset library. */
function toPackage(game: PublicGame, platforms: readonly Platform[], rating: number): SearchPackage | null {
  const uploads = platforms.map(({ uploadedAt }) => uploadedAt?.getTime() ?? 0)
  if (!fitsEditor(game.engineCompat)) return null
  if (uploads.length === 0 || game.adult || !PACKAGE_TYPES.includes(game.facets.asset_type)) return null
  return {
    title: game.name,
    author: game.author,
    open: game.isOpen,
    rating,
    released_at: Math.max(...uploads),
  }
}

interface AroundGame {
  communityTags: readonly CommunityTag[]
  band: HealthBand | undefined
  rating: RatingSums
  platforms: readonly Platform[]
}

function toDocument(
  game: PublicGame,
  { communityTags, band, rating, platforms }: AroundGame,
): Omit<SearchDocument, 'package'> {
  return {
    uid: game.uid,
    name: game.name,
    tagline: game.tagline,
    description: textOfMarkdown(game.description),
    post_titles: game.postTitles,
    ...game.facets,
    languages: game.facets.languages.map(({ language }) => language),
    developer: game.author,
    developer_name: game.authorName === game.author ? null : game.authorName,
    tags: [...game.facets.tags, ...communityTags.map(({ tag }) => tag)],
    os: [...new Set(platforms.map(({ os }) => os))].sort(),
    platforms: [...new Set(platforms.flatMap(({ os, arch }) => platformTokens(os, arch)))].sort(),
    price: priceBandOf(game.priceCents),
    price_cents: game.priceCents,
    rating: ratingValuesOf(rating.reviews, rating.stars),
    rated: Math.round(MILLION * wilsonLowerBound(rating.recommendations, rating.reviews)),
    popularity: game.popularity,
    playable: platforms.some(({ os, hasEntryPage }) => os === 'web' && hasEntryPage) ? [PLAYABLE] : [],
    compat: game.engineCompat.map(({ platform: _, ...range }) => range),
    players_min: game.playersMin,
    players_max: game.playersMax,
    adult: game.adult,
    health_penalty: band === 'problematic' ? 1 : 0,
    published_at: game.publishedAt?.getTime() ?? 0,
    updated_at: game.updatedAt.getTime(),
  }
}

/** Of a normal distribution, for 95 % confidence. */
const Z = 1.96

/** The lower bound of Wilson's interval for a share, given how many of `total` were observed; 0 of none. */
function wilsonLowerBound(observed: number, total: number): number {
  if (total === 0) return 0
  const share = observed / total
  const square = Z * Z
  const margin = Z * Math.sqrt((share * (1 - share) + square / (4 * total)) / total)
  return (share + square / (2 * total) - margin) / (1 + square / total)
}
