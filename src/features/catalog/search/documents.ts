import {
  platformTokens,
  type SearchDocument,
  type SearchPackage,
} from '../../../clients/search/search-engine.ts'
import type { Db } from '../../../db/client.ts'
import type { HealthBand } from '../../../domain/builds/health-bands.ts'
import { fitsEditor, PACKAGE_TYPES } from '../../../domain/listings/editor-packages.ts'
import { textOfMarkdown } from '../../../lib/text/markdown.ts'
import { countRecommendations } from '../../community/reviews/service.ts'
import type { CommunityTag } from '../../community/tags/model.ts'
import { listShownTagsOf } from '../../community/tags/service.ts'
import { readBandsOf } from '../../telemetry/health/service.ts'
import { listPlatforms, listPublicGames, listPublicGamesFrom, type PublicGame } from './queries.ts'

type Platform = Awaited<ReturnType<typeof listPlatforms>>[number]

/** Current documents of the public ones among these listings. The number of queries is constant. */
export async function readDocuments(db: Db, uids: readonly string[]): Promise<SearchDocument[]> {
  return await toDocuments(db, await listPublicGames(db, uids))
}

/** The next `count` public listings in the order of their uids, and the uid that follows; null at the end. */
export async function readDocumentsFrom(
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
    readBandsOf(db, found),
    listPlatforms(db, found),
    countRecommendations(db, found),
  ])
  const byGame = Map.groupBy(platforms, ({ gameUid }) => gameUid)
  return games.map((game) => {
    const own = byGame.get(game.uid) ?? []
    return {
      ...toDocument(game, tags.get(game.uid) ?? [], bands.get(game.uid), own),
      package: toPackage(game, own, ratings.get(game.uid) ?? 0),
    }
  })
}

/** Null unless an editor can install it. Adult listings are never in the asset library. */
function toPackage(game: PublicGame, platforms: readonly Platform[], rating: number): SearchPackage | null {
  const uploads = platforms.map(({ uploadedAt }) => uploadedAt?.getTime() ?? 0)
  if (!fitsEditor(game.engineCompat)) return null
  if (uploads.length === 0 || game.adult || !PACKAGE_TYPES.includes(game.assetType)) return null
  return {
    title: game.name,
    author: game.author,
    open: game.isOpen,
    rating,
    released_at: Math.max(...uploads),
  }
}

function toDocument(
  game: PublicGame,
  communityTags: readonly CommunityTag[],
  band: HealthBand | undefined,
  platforms: readonly Platform[],
): Omit<SearchDocument, 'package'> {
  return {
    uid: game.uid,
    name: game.name,
    tagline: game.tagline,
    description: textOfMarkdown(game.description),
    asset_type: game.assetType,
    genres: game.genres,
    tags: [...game.tags, ...communityTags.map(({ tag }) => tag)],
    tone: game.tone,
    session_bucket: game.sessionBucket,
    net: game.net,
    authorship: game.authorship,
    ai_uses: game.aiUses,
    content_warnings: game.contentWarnings,
    os: [...new Set(platforms.map(({ os }) => os))].sort(),
    platforms: [...new Set(platforms.flatMap(({ os, arch }) => platformTokens(os, arch)))].sort(),
    license_kind: game.licenseKind,
    engines: game.engines,
    compat: game.engineCompat.map(({ platform: _, ...range }) => range),
    players_min: game.playersMin,
    players_max: game.playersMax,
    adult: game.adult,
    health_penalty: band === 'problematic' ? 1 : 0,
    published_at: game.publishedAt?.getTime() ?? 0,
    updated_at: game.updatedAt.getTime(),
  }
}
