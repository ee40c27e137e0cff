import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { findVisibleGame, type Role } from '../../games/service.ts'
import type { Image } from '../images/model.ts'
import { readPageImages } from '../images/service.ts'
import type { Listing, ListingSummary } from './model.ts'
import { countParts, findUsername, type GameRow } from './queries.ts'
import { listDependencies, listSimilarTitles } from './relation-queries.ts'

/** The complete listing for owner or admins. Always six queries. */
export async function toListing(
  deps: Deps,
  db: Db,
  reader: WebsiteUser | Agent,
  { game, role }: { game: GameRow; role: Role },
): Promise<Listing> {
  const [username, counts, images, parent, similar_titles, dependencies] = await Promise.all([
    findUsername(db, game.ownerUid),
    countParts(db, game.uid),
    readPageImages({ ...deps, db }, game.uid),
    toParent(db, reader, game),
    listSimilarTitles(db, game.uid),
    listDependencies(db, game.uid),
  ])
  return {
    uid: game.uid,
    owner: { uid: game.ownerUid, username },
    role,
    visibility: game.visibility,
    taken_down: toTakenDown(game),
    approval: game.pendingPublication && 'pending',
    url: listingUrl(deps.config.baseUrl, game.vanityName),
    name: game.name,
    asset_type: game.assetType,
    vanity_name: game.vanityName,
    tagline: game.tagline,
    description: game.description,
    status: game.status,
    website: game.website,
    adult: game.adult,
    indexable: game.indexable,
    price_cents: game.priceCents,
    pay_more: game.payMore,
    anonymous_downloads: game.anonymousDownloads,
    license_kind: game.licenseKind,
    genres: game.genres,
    tags: game.tags,
    tone: game.tone,
    inputs: game.inputs,
    content_warnings: game.contentWarnings,
    engines: game.engines,
    session_bucket: game.sessionBucket,
    net: game.net,
    players_min: game.playersMin,
    players_max: game.playersMax,
    authorship: game.authorship,
    authorship_credit: game.authorshipCredit,
    ai_uses: game.aiUses,
    parent,
    mod_settings: game.modSettings,
    web_player: game.webPlayer,
    similar_titles,
    dependencies,
    engine_compat: game.engineCompat,
    ...images,
    counts,
    ...toMoments(game),
  }
}

export function toSummary(baseUrl: string, game: GameRow, role: Role, cover: Image | null): ListingSummary {
  return {
    uid: game.uid,
    vanity_name: game.vanityName,
    name: game.name,
    asset_type: game.assetType,
    visibility: game.visibility,
    taken_down: toTakenDown(game),
    approval: game.pendingPublication && 'pending',
    status: game.status,
    price_cents: game.priceCents,
    role,
    url: listingUrl(baseUrl, game.vanityName),
    cover,
    ...toMoments(game),
  }
}

/** Only the uid of a parent that the reader cannot see: the editor knew it when setting the parent. */
async function toParent(db: Db, reader: WebsiteUser | Agent, game: GameRow): Promise<Listing['parent']> {
  if (game.parentUid !== null) {
    const parent = await findVisibleGame(db, reader, game.parentUid)
    return {
      game: game.parentUid,
      vanity_name: parent?.vanityName ?? null,
      name: parent?.name ?? null,
      asset_type: parent?.assetType ?? null,
    }
  }
  if (game.parentExternalName === null || game.parentExternalUrl === null) return null
  return { external_name: game.parentExternalName, external_url: game.parentExternalUrl }
}

function toTakenDown({ takenDown }: GameRow): Listing['taken_down'] {
  return takenDown && { at: takenDown.at, reason: takenDown.reason }
}

function toMoments(game: GameRow) {
  return {
    created_at: game.createdAt.toISOString(),
    updated_at: game.updatedAt.toISOString(),
    published_at: game.publishedAt?.toISOString() ?? null,
  }
}
