import type { Config } from '../../../config/config.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { MODDING_TYPES } from '../../../domain/listings/listing.ts'
import type { ModSettings } from '../../../domain/listings/mod-settings.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'
import { playUrl } from '../../../domain/play-origins.ts'
import { mediaUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { listStableFiles, type StableFile } from '../../builds/channels/stable-files.ts'
import { findModCompat } from '../../builds/comparison/service.ts'
import { listShownTags } from '../../community/tags/service.ts'
import { type GameAccess, type GameRow, openPage, openPublicGame } from '../../games/service.ts'
import { listNewestChanges } from '../../listings/changelog/service.ts'
import { loadCovers, loadPageImages } from '../../listings/images/service.ts'
import { listActiveEditions } from '../../listings/pricing/service.ts'
import { toStoreLinks } from '../../listings/store-links/service.ts'
import { toVideo } from '../../listings/videos/service.ts'
import { loadBandsOf } from '../../telemetry/health/service.ts'
import { findPlayable, toFile, toShared, withPicturesFor } from './cards.ts'
import {
  CHANGELOG_SHOWN,
  type Listing,
  type Relations,
  type RelationsOnly,
  type ShownModSettings,
  type ShownWebPlayer,
  type SimilarTitle,
  USED_BY_MAX,
} from './model.ts'
import { findSurroundings, listSimilarTitles, listUsedBy, listUses } from './queries.ts'

/** The page as anyone may open it. */
export async function loadListing(deps: Deps, ref: string): Promise<Listing> {
  return await toListing(deps, await openPublicGame(deps.db, ref))
}

/** The page as this person may open it: those who work on a listing also see it before others do. */
export async function loadListingFor(
  deps: Deps,
  user: WebsiteUser | Agent | null,
  ref: string,
): Promise<GameAccess & { listing: Listing }> {
  const { game, role } = await openPage(deps.db, user, ref)
  const listing = await toListing(deps, game)
  return { listing: role === null ? withPicturesFor(user, listing) : listing, game, role }
}

/** The page of a listing that the caller has opened. The number of queries is constant. */
export async function toListing(deps: Deps, game: GameRow): Promise<Listing> {
  const { db, config } = deps
  const { uid } = game
  const [
    surroundings,
    images,
    communityTags,
    editions,
    relations,
    similar_titles,
    changelog,
    files,
    mod_compat,
    bands,
  ] = await Promise.all([
    findSurroundings(db, uid),
    loadPageImages(deps, uid),
    listShownTags(db, game),
    listActiveEditions(db, uid),
    loadRelations(deps, uid),
    loadSimilarTitles(deps, uid),
    listNewestChanges(db, uid, CHANGELOG_SHOWN),
    listStableFiles(db, uid),
    findModCompat(db, game),
    loadBandsOf(db, [uid]),
  ])
  // Deleted since it was opened.
  if (!surroundings) throw new AppError('not_found')
  const { cover, thumbnail, gallery } = images
  const health = { band: bands.get(uid) ?? 'unrated' } as const
  return {
    ...toShared(config.baseUrl, game, { surroundings, cover, thumbnail, communityTags, health }),
    description: game.description,
    description_html: renderMarkdown(game.description),
    website: game.website,
    editions,
    cover_wide: toWide(config.baseUrl, surroundings.wide),
    gallery,
    videos: surroundings.videos.map((video) => toVideo(config.baseUrl, video)),
    accent: surroundings.accent,
    pay_more: game.payMore,
    anonymous_downloads: game.anonymousDownloads,
    engine_compat: game.engineCompat,
    relations,
    mod_compat,
    mod_settings: toModSettings(game),
    web_player: toWebPlayer(config, game, findPlayable(files)),
    store_links: toStoreLinks(game.storeLinks),
    accessibility: game.accessibility,
    languages: game.languages,
    requirements: game.requirements,
    files: files.map(toFile),
    similar_titles,
    changelog,
  }
}

function toWide(
  baseUrl: string,
  wide: { key: string; width: number; height: number } | null,
): Listing['cover_wide'] {
  if (wide === null) return null
  const { key, ...size } = wide
  return { url: mediaUrl(baseUrl, key), ...size }
}

export async function loadRelationsOnly(deps: Deps, ref: string): Promise<RelationsOnly> {
  const game = await openPublicGame(deps.db, ref)
  return {
    license_kind: game.licenseKind,
    engine_compat: game.engineCompat,
    relations: await loadRelations(deps, game.uid),
  }
}

async function loadRelations({ db }: Deps, uid: string): Promise<Relations> {
  const [uses, used_by] = await Promise.all([listUses(db, uid), listUsedBy(db, uid, USED_BY_MAX)])
  return { uses, used_by }
}

async function loadSimilarTitles(deps: Deps, uid: string): Promise<SimilarTitle[]> {
  const titles = await listSimilarTitles(deps.db, uid)
  // The page is the same for everyone, so the pictures of adult titles are left out.
  const shown = titles.filter(({ adult }) => !adult)
  const covers = await loadCovers(
    deps,
    shown.map((title) => title.uid),
  )
  return titles.map(({ adult: _, ...title }) => ({ ...title, cover: covers.get(title.uid)?.cover ?? null }))
}

function toModSettings({ assetType, modSettings }: GameRow): ShownModSettings | null {
  if (modSettings === null || !MODDING_TYPES.includes(assetType)) return null
  const { install_path, loader, instructions }: ModSettings = modSettings
  return {
    install_path,
    loader,
    instructions,
    instructions_html: instructions === null ? null : renderMarkdown(instructions),
  }
}

/** Without play origins nothing can be played. */
function toWebPlayer(
  config: Pick<Config, 'baseUrl' | 'playUrl'>,
  { vanityName, webPlayer }: GameRow,
  file: StableFile | undefined,
): ShownWebPlayer | null {
  if (!file || config.playUrl === null) return null
  const { width, height, isolation, mobile, downloadable } = { ...WEB_PLAYER_DEFAULTS, ...webPlayer }
  const { buildUid: build_id, version, size: bytes } = file
  return {
    url: playUrl(config.baseUrl, vanityName),
    width,
    height,
    isolation,
    mobile,
    downloadable,
    bytes,
    build_id,
    version,
  }
}
