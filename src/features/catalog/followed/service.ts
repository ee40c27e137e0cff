import type { Deps } from '../../../deps.ts'
import { toPerson } from '../../../domain/people.ts'
import { clamp, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import type { Follower } from '../../community/follows/service.ts'
import { loadNewestChangeOf } from '../../listings/changelog/service.ts'
import { loadCards, loadOpenCards } from '../pages/cards.ts'
import {
  FollowedDeveloper,
  FollowedGame,
  type FollowKind,
  type FollowPart,
  type Follows,
  type FollowWindow,
} from './model.ts'
import * as queries from './queries.ts'

const OFFSET_MAX = 1_000_000

export interface FollowsQuery {
  kind: FollowKind
  part: FollowPart
  window: FollowWindow
}

/** An unknown kind falls back to the default. */
export function parseFollows(query: Readonly<Record<string, string | undefined>>): FollowsQuery {
  return {
    kind: query.kind === 'developers' ? 'developers' : 'games',
    part: query.wish === 'true' ? 'wishes' : 'all',
    window: {
      limit: clamp(query.limit, PAGE_SIZE_DEFAULT, 1, PAGE_SIZE_MAX),
      offset: clamp(query.offset, 0, 0, OFFSET_MAX),
    },
  }
}

export async function listFollows(
  deps: Deps,
  user: Follower,
  { kind, part, window }: FollowsQuery,
): Promise<Follows> {
  const found =
    kind === 'developers'
      ? await listFollowedDevelopers(deps, user, window)
      : await listFollowedGames(deps, user, part, window)
  return { kind, ...found, ...window }
}

interface Found<Item> {
  items: Item[]
  total: number
}

/** The listings that a person follows and may open; the number of queries is constant. */
export async function listFollowedGames(
  deps: Deps,
  { userUid, adultContent: withAdult }: Follower,
  part: FollowPart,
  window: FollowWindow,
): Promise<Found<FollowedGame>> {
  return await findGames(deps, { userUid, part, withAdult }, window)
}

/** A wishlist as everyone sees it who knows its address: without listings that only their link opens. */
export async function listSharedWishes(
  deps: Deps,
  userUid: string,
  withAdult: boolean,
  window: FollowWindow,
): Promise<Found<FollowedGame>> {
  return await findGames(deps, { userUid, part: 'wishes', withAdult, isPublicOnly: true }, window)
}

async function findGames(
  deps: Deps,
  filter: queries.FollowFilter,
  window: FollowWindow,
): Promise<Found<FollowedGame>> {
  const { db } = deps
  const [rows, total] = await Promise.all([
    queries.listGameFollows(db, filter, window),
    queries.countGameFollows(db, filter),
  ])
  const uids = rows.map(({ follow }) => follow.gameUid)
  const [cards, changes] = await Promise.all([loadOpenCards(deps, uids), loadNewestChangeOf(db, uids)])
  const byUid = new Map(cards.map((card) => [card.uid, card]))
  const items = rows.flatMap(({ follow, priceCents }) => {
    const game = byUid.get(follow.gameUid)
    // Hidden in the meantime.
    if (!game) return []
    const change = changes.get(game.uid)
    return respond(FollowedGame, follow, {
      game,
      newest_release: change
        ? { uid: change.uid, title: change.title, version: change.version, at: change.created_at }
        : null,
      price_cents: priceCents,
      since: follow.createdAt,
    })
  })
  return { items, total }
}

/** The developers that a person follows, each with their newest listing; the number of queries is constant. */
export async function listFollowedDevelopers(
  deps: Deps,
  { userUid, adultContent }: Follower,
  window: FollowWindow,
): Promise<Found<FollowedDeveloper>> {
  const { db, config } = deps
  const [rows, total] = await Promise.all([
    queries.listDeveloperFollows(db, userUid, window),
    queries.countDeveloperFollows(db, userUid),
  ])
  const uids = rows.map(({ follow }) => follow.developerUid)
  const newest = await queries.listNewestOf(db, uids, adultContent)
  const cards = await loadCards(
    deps,
    newest.map(({ uid }) => uid),
  )
  const byDeveloper = new Map(cards.map((card) => [card.developer.uid, card]))
  const items = rows.map(({ follow, person }) =>
    respond(FollowedDeveloper, follow, {
      developer: { uid: person.uid, ...toPerson(config.baseUrl, person) },
      newest_game: byDeveloper.get(person.uid) ?? null,
      since: follow.createdAt,
    }),
  )
  return { items, total }
}
