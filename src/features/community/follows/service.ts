import type { Db, Transaction } from '../../../db/client.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { FOLLOWS_MAX } from '../../../domain/follows.ts'
import { adultMessage } from '../../../domain/listings/entitlement.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { findVisibleGame, type GameRow, maySeePage, openGame } from '../../games/service.ts'
import type { DeveloperFollowInput, GameFollowInput } from './model.ts'
import * as queries from './queries.ts'

/** Notifies every process that an account follows something else, or in another way: its uid. */
export const FOLLOWS_CHANGED = 'follows_changed'

/** A person who is signed in on the website or uses a key. */
export interface Follower {
  userUid: string
  adultContent: boolean
  isOperator?: boolean
}

/** Follows an open listing; for an invisible one the link is enough. What is not sent is the default. Returns its uid. */
export async function followGame(
  deps: Deps,
  user: Follower,
  ref: string,
  { releases = true, posts = true, platforms = [], wish = false, position = null }: GameFollowInput,
): Promise<string> {
  if (position !== null && !wish) throw invalidField('position', 'needs wish: true.')
  const game = await openFollowable(deps.db, user, ref)
  const systems = OPERATING_SYSTEMS.filter((os) => platforms.includes(os))
  const choices = { releases, posts, platforms: systems, wish }
  await changeGameFollow(deps, user, game, () => ({ choices, position }))
  return game.uid
}

/** The buttons of the website. Following leaves the wishlist as it is, and wishing what one hears of. */
export const BUTTONS = ['follow', 'unfollow', 'wish', 'unwish'] as const
export type FollowButton = (typeof BUTTONS)[number]

const SILENT: queries.GameChoices = { releases: false, posts: false, platforms: [], wish: false }

export async function pressButton(
  deps: Deps,
  user: Follower,
  ref: string,
  button: FollowButton,
): Promise<void> {
  const game = await openFollowable(deps.db, user, ref)
  await changeGameFollow(deps, user, game, (known) => {
    const { wish, ...others } = known ?? SILENT
    const isFollowed = known !== undefined && isFollow(known)
    if (button === 'follow') return { choices: { releases: true, posts: true, platforms: [], wish } }
    if (button === 'wish') return { choices: { ...others, wish: true } }
    if (button === 'unfollow') return wish ? { choices: { ...SILENT, wish } } : null
    return isFollowed ? { choices: { ...others, wish: false } } : null
  })
}

/** A wish alone is no follow. */
function isFollow({ releases, posts, wish }: queries.GameChoices): boolean {
  return releases || posts || !wish
}

interface GameChange {
  choices: queries.GameChoices
  /** Absent or null: as it is, or the last one. */
  position?: number | null
}

/** Null deletes the follow. */
type Change = (known: queries.GameFollowRow | undefined) => GameChange | null

async function changeGameFollow(
  deps: Deps,
  { userUid }: Follower,
  game: GameRow,
  change: Change,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await queries.lockFollows(tx, userUid)
    const known = await queries.findGameFollow(tx, userUid, game.uid)
    const changed = change(known)
    if (changed === null) await queries.deleteGameFollow(tx, userUid, game.uid)
    else {
      if (!known) await requireRoom(tx, userUid)
      if (!(await queries.upsertGameFollow(tx, userUid, game.uid, changed.choices)))
        throw new AppError('not_found')
    }
    const place = changed?.position ?? known?.position ?? null
    if (changed?.choices.wish) await queries.orderWishes(tx, userUid, { gameUid: game.uid, position: place })
    else if (known?.wish) await queries.orderWishes(tx, userUid, null)
    await notify(tx, FOLLOWS_CHANGED, userUid)
  })
}

async function requireRoom(tx: Transaction, userUid: string): Promise<void> {
  if ((await queries.countFollows(tx, userUid)) < FOLLOWS_MAX) return
  throw new AppError('taken', {
    message: `You follow ${FOLLOWS_MAX.toLocaleString('en')} listings and developers, which is the most. Stop following one of them first.`,
  })
}

async function openFollowable(db: Db, user: Follower, ref: string): Promise<GameRow> {
  const { game } = await openGame(db, user, ref, 'see')
  if (!maySeePage(game.visibility, null)) throw new AppError('not_found')
  if (game.adult && !user.adultContent)
    throw new AppError('forbidden', { message: adultMessage(`follow ${game.name}`) })
  return game
}

/** What the person chose for this listing; undefined without a follow. */
export async function findChoices(
  db: Db,
  { userUid }: Follower,
  gameUid: string,
): Promise<queries.GameFollowRow | undefined> {
  return isUid(gameUid) ? await queries.findGameFollow(db, userUid, gameUid) : undefined
}

/** Also for a listing that was hidden since. The licence stays. */
export async function unfollowGame(deps: Deps, user: Follower, ref: string): Promise<void> {
  const { userUid } = user
  const gameUid = await findFollowedUid(deps.db, user, ref)
  await deps.db.transaction(async (tx) => {
    await queries.lockFollows(tx, userUid)
    const deleted = gameUid && (await queries.deleteGameFollow(tx, userUid, gameUid))
    if (!deleted) throw new AppError('not_found', { message: 'You do not follow this listing.' })
    if (deleted.wish) await queries.orderWishes(tx, userUid, null)
    await notify(tx, FOLLOWS_CHANGED, userUid)
  })
}

/** By a uid also of a listing that was hidden since. */
export async function findFollowedUid(db: Db, user: Follower, ref: string): Promise<string | null> {
  return isUid(ref) ? ref : ((await findVisibleGame(db, user, ref))?.uid ?? null)
}

/**
 * Call in the transaction that adds a listing to the library: it is followed for its releases, unless the account does
 * not want that, and leaves the wishlist.
 */
export async function followOwned(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await queries.lockFollows(tx, userUid)
  const known = await queries.findGameFollow(tx, userUid, gameUid)
  const isFollowed = known !== undefined && isFollow(known)
  const follows = !isFollowed && (await queries.findFollowsLibrary(tx, userUid))
  if (follows && (known || (await queries.countFollows(tx, userUid)) < FOLLOWS_MAX)) {
    const choices = { releases: true, posts: false, platforms: known?.platforms ?? [], wish: false }
    await queries.upsertGameFollow(tx, userUid, gameUid, choices)
  } else if (known?.wish && isFollowed) {
    await queries.upsertGameFollow(tx, userUid, gameUid, { ...known, wish: false })
  } else if (known?.wish) {
    await queries.deleteGameFollow(tx, userUid, gameUid)
  } else return
  if (known?.wish) await queries.orderWishes(tx, userUid, null)
  await notify(tx, FOLLOWS_CHANGED, userUid)
}

/** Somebody with public listings, whom one can follow. */
export async function openPublisher(db: Db, ref: string) {
  const developer = await queries.findPublisher(db, ref)
  if (!developer) throw new AppError('not_found')
  return developer
}

/** Follows somebody with public listings, and returns their uid. */
export async function followDeveloper(
  deps: Deps,
  { userUid }: Follower,
  ref: string,
  { new_games: newGames = true, posts = true }: DeveloperFollowInput,
): Promise<string> {
  const developer = await openPublisher(deps.db, ref)
  await deps.db.transaction(async (tx) => {
    await queries.lockFollows(tx, userUid)
    if (!(await queries.hasDeveloperFollow(tx, userUid, developer.uid))) await requireRoom(tx, userUid)
    if (!(await queries.upsertDeveloperFollow(tx, userUid, developer.uid, { newGames, posts })))
      throw new AppError('not_found')
    await notify(tx, FOLLOWS_CHANGED, userUid)
  })
  return developer.uid
}

/** Of a uid or a username. */
export async function findUserUid(db: Db, ref: string): Promise<string | null> {
  return isUid(ref) ? ref : ((await queries.findUid(db, ref)) ?? null)
}

export async function unfollowDeveloper(deps: Deps, { userUid }: Follower, ref: string): Promise<void> {
  const developerUid = await findUserUid(deps.db, ref)
  await deps.db.transaction(async (tx) => {
    await queries.lockFollows(tx, userUid)
    const wasThere = developerUid && (await queries.deleteDeveloperFollow(tx, userUid, developerUid))
    if (!wasThere) throw new AppError('not_found', { message: 'You do not follow this developer.' })
    await notify(tx, FOLLOWS_CHANGED, userUid)
  })
}
