import type { Deps } from '../../../deps.ts'
import { type Actor, seesAdult, toPerson } from '../../../domain/actor.ts'
import { MAIN_APP } from '../../../domain/builds/channels.ts'
import { showEngine } from '../../../domain/builds/files.ts'
import { AUTHORSHIP_LABELS } from '../../../domain/listings/fields.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { respond } from '../../../lib/respond.ts'
import type { StableFile } from '../../builds/channels/stable-files.ts'
import type { CommunityTag } from '../../community/tags/model.ts'
import type { Image } from '../../listings/images/model.ts'
import { toCovers } from '../../listings/images/service.ts'
import { toPrice } from '../../listings/pricing/service.ts'
import { worstBand } from '../../telemetry/health/rate-build.ts'
import { type Card, type Parent, PublicFile, SharedFields, Taxonomy } from './model.ts'
import {
  type CardGame,
  type CardRow,
  listJamCards,
  listOpenCards,
  listPublicCards,
  type Surroundings,
} from './queries.ts'

/** Cards of the public ones among these listings, in the order given. */
export type LoadCards = (uids: readonly string[]) => Promise<Card[]>

/** The same, read from the database in one query. */
export async function loadCards(deps: Deps, uids: readonly string[]): Promise<Card[]> {
  return await loadCardsOf(deps, uids, listPublicCards)
}

/** The same with invisible listings, for people who know their addresses. */
export async function loadOpenCards(deps: Deps, uids: readonly string[]): Promise<Card[]> {
  return await loadCardsOf(deps, uids, listOpenCards)
}

/** Cards of entries of a jam, drafts too; not of what was taken down. */
export async function loadJamCards(
  { deps, loadCards: loadPublic }: { deps: Deps; loadCards: LoadCards },
  games: readonly { gameUid: string; isPublic: boolean }[],
): Promise<Card[]> {
  const uidsOf = (isPublic: boolean) =>
    games.filter((game) => game.isPublic === isPublic).map(({ gameUid }) => gameUid)
  const [shown, others] = [uidsOf(true), uidsOf(false)]
  const cards = await Promise.all([
    loadPublic(shown),
    others.length === 0 ? [] : loadCardsOf(deps, others, listJamCards),
  ])
  return cards.flat()
}

async function loadCardsOf(
  { config, db }: Deps,
  uids: readonly string[],
  listCards: typeof listPublicCards,
): Promise<Card[]> {
  const rows = await listCards(db, uids)
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return uids.flatMap((uid) => {
    const row = byUid.get(uid)
    return row ? toCard(config, row) : []
  })
}

function toCard({ baseUrl, playUrl }: Deps['config'], row: CardRow): Card {
  const { game, covers, stable } = row
  const communityTags = row.communityTags ?? []
  const health = { band: row.bands === null ? ('unrated' as const) : worstBand(row.bands) }
  const playable = playUrl !== null && stable !== null && stable.isPlayable
  return {
    ...toShared(baseUrl, game, {
      surroundings: row,
      ...toCovers(baseUrl, covers ?? []),
      communityTags,
      health,
    }),
    engines: game.engines,
    content_warnings: game.contentWarnings,
    scan: stable?.scan ?? null,
    platforms: stable?.platforms ?? [],
    playable,
    playable_on_phones: playable && stable.isForPhones,
    score: 0,
    matched_tags: [],
  }
}

interface ShownParts {
  surroundings: Surroundings
  cover: Image | null
  thumbnail: Image | null
  communityTags: CommunityTag[]
  health: Card['health']
}

/** The fields that page and card share. */
export function toShared(baseUrl: string, game: CardGame, parts: ShownParts): SharedFields {
  const { surroundings } = parts
  return respond(SharedFields, game, {
    // Pages that are not open never get here.
    visibility: game.visibility === 'public' ? 'public' : 'invisible',
    url: listingUrl(baseUrl, game.vanityName),
    developer: { uid: game.ownerUid, ...toPerson(baseUrl, surroundings) },
    price: toPrice(game.priceCents),
    cover: parts.cover,
    thumbnail: parts.thumbnail,
    taxonomy: respond(Taxonomy, game),
    authorship: toAuthorship(game),
    community_tags: parts.communityTags,
    parent: toParent(game, surroundings.parent),
    has_mods: surroundings.hasMods,
    has_tools: surroundings.hasTools,
    health: parts.health,
  })
}

function toAuthorship({ authorship, authorshipCredit }: CardGame): SharedFields['authorship'] {
  if (authorship === null) return null
  return { value: authorship, label: AUTHORSHIP_LABELS[authorship], credit: authorshipCredit }
}

function toParent(game: CardGame, parent: Surroundings['parent']): Parent | null {
  if (parent) {
    const { uid, vanityName, name, assetType } = parent
    return { game: uid, vanity_name: vanityName, name, asset_type: assetType }
  }
  const { parentExternalName: external_name, parentExternalUrl: external_url } = game
  return external_name !== null && external_url !== null ? { external_name, external_url } : null
}

export function toFile(file: StableFile): PublicFile {
  return respond(PublicFile, file, {
    build_id: file.buildUid,
    scan_engine: showEngine(file.scanEngine),
    apk: file.hasApk,
  })
}

/** The newest of the stable files that a browser can open, as play origins choose it. */
export function findPlayable(files: readonly StableFile[]): StableFile | undefined {
  const playable = files.filter(
    ({ app, os, entryPage }) => app === MAIN_APP && os === 'web' && entryPage !== null,
  )
  return playable.toSorted(
    (a, b) => b.movedAt.getTime() - a.movedAt.getTime() || (a.fileUid < b.fileUid ? 1 : -1),
  )[0]
}

/** Pictures and videos of adult listings are left out for everyone who did not ask for such content. */
export function withPicturesFor<Shown extends { adult: boolean }>(
  visitor: Actor | null,
  shown: Shown,
): Shown {
  if (!shown.adult || (visitor && seesAdult(visitor))) return shown
  const page = 'gallery' in shown && { cover_wide: null, gallery: [], videos: [] }
  return { ...shown, cover: null, thumbnail: null, ...page }
}

/** Whether one of these tags was set by the developer or is shown by the community, as in a search. */
export function hasTagOf({ taxonomy, community_tags }: Card, tags: readonly string[]): boolean {
  return tags.some((tag) => taxonomy.tags.includes(tag) || community_tags.some((shown) => shown.tag === tag))
}
