import type { Deps } from '../../../deps.ts'
import { toPerson } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
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

const ONE = { limit: 1, offset: 0 }

/** The follow of this listing as the list shows it; null where it would not. */
export async function findFollowedGame(
  deps: Deps,
  { userUid, adultContent: withAdult }: Follower,
  gameUid: string | null,
): Promise<FollowedGame | null> {
  if (gameUid === null) return null
  const rows = await queries.listGameFollows(deps.db, { userUid, part: 'all', withAdult, gameUid }, ONE)
  return (await toGames(deps, rows))[0] ?? null
}

/** Of a follow that was just made. */
export async function loadFollow<Follow>(found: Promise<Follow | null>): Promise<Follow> {
  const follow = await found
  if (follow === null) throw new AppError('not_found')
  return follow
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
  return { items: await toGames(deps, rows), total }
}

async function toGames(
  deps: Deps,
  rows: Awaited<ReturnType<typeof queries.listGameFollows>>,
): Promise<FollowedGame[]> {
  const uids = rows.map(({ follow }) => follow.gameUid)
  const [cards, changes] = await Promise.all([loadOpenCards(deps, uids), loadNewestChangeOf(deps.db, uids)])
  const byUid = new Map(cards.map((card) => [card.uid, card]))
  return rows.flatMap(({ follow, priceCents }) => {
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
}

/** The developers that a person follows, each with their newest listing; the number of queries is constant. */
export async function listFollowedDevelopers(
  deps: Deps,
  { userUid, adultContent }: Follower,
  window: FollowWindow,
): Promise<Found<FollowedDeveloper>> {
  const [rows, total] = await Promise.all([
    queries.listDeveloperFollows(deps.db, userUid, window),
    queries.countDeveloperFollows(deps.db, userUid),
  ])
  return { items: await toDevelopers(deps, adultContent, rows), total }
}

/** The follow of this developer as the list shows it; null where it would not. */
export async function findFollowedDeveloper(
  deps: Deps,
  { userUid, adultContent }: Follower,
  developerUid: string | null,
): Promise<FollowedDeveloper | null> {
  if (developerUid === null) return null
  const rows = await queries.listDeveloperFollows(deps.db, userUid, ONE, developerUid)
  return (await toDevelopers(deps, adultContent, rows))[0] ?? null
}

async function toDevelopers(
  deps: Deps,
  withAdult: boolean,
  rows: Awaited<ReturnType<typeof queries.listDeveloperFollows>>,
): Promise<FollowedDeveloper[]> {
  const { db, config } = deps
  const uids = rows.map(({ follow }) => follow.developerUid)
  const newest = await queries.listNewestOf(db, uids, withAdult)
  const cards = await loadCards(
    deps,
    newest.map(({ uid }) => uid),
  )
  const byDeveloper = new Map(cards.map((card) => [card.developer.uid, card]))
  return rows.map(({ follow, person }) =>
    respond(FollowedDeveloper, follow, {
      developer: { uid: person.uid, ...toPerson(config.baseUrl, person) },
      newest_game: byDeveloper.get(person.uid) ?? null,
      since: follow.createdAt,
    }),
  )
}
