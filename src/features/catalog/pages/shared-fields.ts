import { AUTHORSHIP_LABELS } from '../../../domain/listings/taxonomy.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import type { CommunityTag } from '../../community/tags/model.ts'
import type { GameRow } from '../../games/service.ts'
import type { Image } from '../../listings/images/model.ts'
import { toPrice } from '../../listings/pricing/service.ts'
import type { BuildFacts } from './build-facts.ts'
import type { Surroundings } from './card-queries.ts'
import type { Parent, SharedFields, Taxonomy } from './model.ts'

export interface ShownParts {
  surroundings: Surroundings
  cover: Image | null
  thumbnail: Image | null
  communityTags: CommunityTag[]
  builds: Pick<BuildFacts, 'health'>
}

/** The fields that page and card share. */
export function toShared(baseUrl: string, game: GameRow, parts: ShownParts): SharedFields {
  const { surroundings } = parts
  return {
    uid: game.uid,
    vanity_name: game.vanityName,
    name: game.name,
    tagline: game.tagline,
    asset_type: game.assetType,
    status: game.status,
    // Pages that are not open never get here.
    visibility: game.visibility === 'public' ? 'public' : 'invisible',
    url: listingUrl(baseUrl, game.vanityName),
    developer: { uid: game.ownerUid, username: surroundings.username },
    price: toPrice(game.priceCents),
    cover: parts.cover,
    thumbnail: parts.thumbnail,
    taxonomy: toTaxonomy(game),
    authorship: toAuthorship(game),
    ai_uses: game.aiUses,
    community_tags: parts.communityTags,
    adult: game.adult,
    indexable: game.indexable,
    parent: toParent(game, surroundings.parent),
    has_mods: surroundings.hasMods,
    has_tools: surroundings.hasTools,
    health: parts.builds.health,
    license_kind: game.licenseKind,
    published_at: game.publishedAt?.toISOString() ?? null,
    updated_at: game.updatedAt.toISOString(),
  }
}

function toTaxonomy(game: GameRow): Taxonomy {
  return {
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
  }
}

function toAuthorship({ authorship, authorshipCredit }: GameRow): SharedFields['authorship'] {
  if (authorship === null) return null
  return { value: authorship, label: AUTHORSHIP_LABELS[authorship], credit: authorshipCredit }
}

function toParent(game: GameRow, parent: Surroundings['parent']): Parent | null {
  if (parent) {
    const { uid, vanityName, name, assetType } = parent
    return { game: uid, vanity_name: vanityName, name, asset_type: assetType }
  }
  const { parentExternalName: external_name, parentExternalUrl: external_url } = game
  return external_name !== null && external_url !== null ? { external_name, external_url } : null
}
