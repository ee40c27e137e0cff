import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type Agent, toPerson, type WebsiteUser } from '../../../domain/actor.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { respond } from '../../../lib/respond.ts'
import { findVisibleGame, type Role } from '../../games/service.ts'
import type { Image } from '../images/model.ts'
import { loadPageImages } from '../images/service.ts'
import { loadVideos } from '../videos/service.ts'
import { EditableListing, ListingSummary } from './model.ts'
import { countParts, findPerson, type GameRow, listDependencies, listSimilarTitles } from './queries.ts'

/** The complete listing for owner or admins. Always seven queries. */
export async function toListing(
  deps: Deps,
  db: Db,
  reader: WebsiteUser | Agent,
  { game, role }: { game: GameRow; role: Role },
): Promise<EditableListing> {
  const [owner, counts, images, videos, parent, similar_titles, dependencies] = await Promise.all([
    findPerson(db, game.ownerUid),
    countParts(db, game.uid),
    loadPageImages({ ...deps, db }, game.uid),
    loadVideos({ ...deps, db }, game.uid),
    toParent(db, reader, game),
    listSimilarTitles(db, game.uid),
    listDependencies(db, game.uid),
  ])
  return respond(EditableListing, game, {
    owner: { uid: game.ownerUid, ...toPerson(deps.config.baseUrl, owner) },
    role,
    taken_down: toTakenDown(game),
    approval: game.pendingPublication && 'pending',
    url: listingUrl(deps.config.baseUrl, game.vanityName),
    parent,
    similar_titles,
    dependencies,
    // What was saved before a setting existed lacks it.
    web_player: game.webPlayer && { ...WEB_PLAYER_DEFAULTS, ...game.webPlayer },
    saves: { enabled: game.savesEnabled },
    ...images,
    videos,
    counts,
  })
}

export function toSummary(baseUrl: string, game: GameRow, role: Role, cover: Image | null): ListingSummary {
  return respond(ListingSummary, game, {
    taken_down: toTakenDown(game),
    approval: game.pendingPublication && 'pending',
    role,
    url: listingUrl(baseUrl, game.vanityName),
    cover,
  })
}

/** Only the uid of a parent that the reader cannot see: the editor knew it when setting the parent. */
async function toParent(
  db: Db,
  reader: WebsiteUser | Agent,
  game: GameRow,
): Promise<EditableListing['parent']> {
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

function toTakenDown({ takenDown }: GameRow): EditableListing['taken_down'] {
  return takenDown && { at: takenDown.at, reason: takenDown.reason }
}
