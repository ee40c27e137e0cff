import type { Db, Transaction } from '../../db/client.ts'
import type { Visibility } from '../../domain/visibility.ts'
import { AppError, Moved } from '../../errors.ts'
import { enqueue } from '../../jobs/queue.ts'
import { indexListings } from './jobs.ts'
import * as queries from './queries.ts'

export type GameRow = queries.GameRow

export type Role = 'owner' | 'admin'

/**
 * see: open the store page; use: the same, and who works on a page that only its owner can open; edit: owner and
 * accepted admins; own: the owner alone.
 */
export type Need = 'see' | 'use' | 'edit' | 'own'

export interface GameAccess {
  game: queries.GameRow
  /** null for everyone who does not work on the listing. */
  role: Role | null
}

interface Caller {
  userUid: string
}

/** Told to every process when a page changed: its uid, or ALL_GAMES. */
export const GAME_CHANGED = 'game_changed'
export const ALL_GAMES = '*'
const NEIGHBOURS_MAX = 500

/**
 * The one place that decides who may do what with a listing. Who may not even see the page gets what everyone gets for
 * a listing that does not exist.
 */
export async function openGame(db: Db, caller: Caller, ref: string, need: Need): Promise<GameAccess> {
  return await admit(db, caller, ref, need, false)
}

/** The same, holding the row until the transaction ends, so that edits of one listing follow each other. */
export async function lockGame(
  tx: Transaction,
  caller: Caller,
  ref: string,
  need: Need,
): Promise<GameAccess> {
  return await admit(tx, caller, ref, need, true)
}

async function admit(db: Db, caller: Caller, ref: string, need: Need, lock: boolean): Promise<GameAccess> {
  const found = await queries.findGameWithRole(db, ref, caller.userUid, lock)
  if (!found) throw new AppError('not_found')
  const { game } = found
  const role = roleOf(found, caller)
  const sees = maySeePage(game.visibility, role)
  const isEnough: Readonly<Record<Need, boolean>> = {
    see: sees,
    use: sees || role !== null,
    edit: role !== null,
    own: role === 'owner',
  }
  if (isEnough[need]) return { game, role }
  throw new AppError(sees || (need !== 'see' && role !== null) ? 'forbidden' : 'not_found')
}

/** The listing, if the caller may open its page or works on it; null for a hidden one and for none at all. */
export async function findKnownGame(db: Db, caller: Caller, ref: string): Promise<queries.GameRow | null> {
  const found = await queries.findGameWithRole(db, ref, caller.userUid, false)
  if (!found) return null
  const role = roleOf(found, caller)
  return role !== null || maySeePage(found.game.visibility, null) ? found.game : null
}

function roleOf({ game, isAdmin }: queries.GameWithRole, { userUid }: Caller): Role | null {
  if (game.ownerUid === userUid) return 'owner'
  return isAdmin ? 'admin' : null
}

/** The table "Who can open the store page". */
const PAGE_OPEN_TO: Readonly<Record<Visibility, (role: Role | null) => boolean>> = {
  draft: (role) => role !== null,
  owner: (role) => role === 'owner',
  invisible: () => true,
  public: () => true,
}

export function maySeePage(visibility: Visibility, role: Role | null): boolean {
  return PAGE_OPEN_TO[visibility](role)
}

/** A page as anyone may open it. An old name leads to the current one; everything else that is not open is missing. */
export async function openPublicGame(db: Db, ref: string): Promise<queries.GameRow> {
  const game = await queries.findOpenGame(db, ref)
  if (game) return game
  const current = await queries.findCurrentName(db, ref)
  if (current !== undefined) throw new Moved(ref, current)
  throw new AppError('not_found')
}

/** A page as this person may open it, or as anyone may when nobody is signed in. */
export async function openPage(db: Db, caller: Caller | null, ref: string): Promise<GameAccess> {
  const found = caller && (await queries.findGameWithRole(db, ref, caller.userUid, false))
  if (found) {
    const role = roleOf(found, caller)
    if (maySeePage(found.game.visibility, role)) return { game: found.game, role }
  }
  return { game: await openPublicGame(db, ref), role: null }
}

/** After an edit by the owner or an admin: moves `updated_at` and tells every process, other pages that show it too. */
export async function markEdited(tx: Transaction, uid: string): Promise<void> {
  await queries.touchGame(tx, uid)
  await announceWidely(tx, uid)
}

/** Call with the change's own transaction: every process forgets the page when it commits. */
export async function announceChange(tx: Transaction, uid: string): Promise<void> {
  await queries.notify(tx, GAME_CHANGED, [uid])
  await queueForSearch(tx, uid)
}

/** The page and its neighbours. Where an edit moves a link, call it before and after: both ends show it. */
export async function announceWidely(tx: Transaction, uid: string): Promise<void> {
  const near = await queries.listNeighbours(tx, uid, NEIGHBOURS_MAX)
  await queries.notify(tx, GAME_CHANGED, near.length < NEIGHBOURS_MAX ? [uid, ...near] : [ALL_GAMES])
  await queueForSearch(tx, uid)
}

/** What a search looks at is the listing's own: neighbours are not found differently. */
async function queueForSearch(tx: Transaction, uid: string): Promise<void> {
  await (uid === ALL_GAMES ? queries.insertAllSearchChanges(tx) : queries.insertSearchChange(tx, uid))
  await enqueue(tx, indexListings, {})
}

/** For what many pages show and no search looks at, such as a developer's name. */
export async function announceEverywhere(tx: Transaction): Promise<void> {
  await queries.notify(tx, GAME_CHANGED, [ALL_GAMES])
}
