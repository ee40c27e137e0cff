import { countLasting } from '../../clients/rate-store/count-request.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { notify } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import type { Agent, WebsiteUser } from '../../domain/actor.ts'
import type { HistoryKind } from '../../domain/history.ts'
import { LIMITS } from '../../domain/limit-table.ts'
import type { Visibility } from '../../domain/listings/visibility.ts'
import { AppError, Moved } from '../../errors.ts'
import { enqueue } from '../../jobs/queue.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { isUid } from '../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../lib/paging.ts'
import { respond } from '../../lib/respond.ts'
import { showProgramName } from '../../lib/text/names.ts'
import { Change } from './history-model.ts'
import { indexListings } from './jobs.ts'
import * as queries from './queries.ts'

export type GameRow = queries.GameRow

export type Role = 'owner' | 'admin'

/**
 * see: open the store page; use: the same, or work on a page that only its owner can open; edit: owner and accepted
 * admins; own: only the owner.
 */
type Need = 'see' | 'use' | 'edit' | 'own'

export interface GameAccess {
  game: queries.GameRow
  /** null for everyone who is neither owner nor admin. */
  role: Role | null
}

interface Caller {
  userUid: string
  isOperator?: boolean
}

/** Notifies every process that a page changed: its uid, or ALL_GAMES. */
export const GAME_CHANGED = 'game_changed'
export const ALL_GAMES = '*'
/** Notifies every process that a page must vanish at once, also from caches that may be seconds old. */
export const GAME_TAKEN_DOWN = 'game_taken_down'
const NEIGHBOURS_MAX = 500

/**
 * The only place that decides who may do what with a game. A caller who cannot see the page gets the same error as
 * for a game that does not exist.
 */
export async function openGame(db: Db, caller: Caller, ref: string, need: Need): Promise<GameAccess> {
  return await admit(db, caller, ref, need, false)
}

/** The same, and locks the row until the transaction ends, which serialises edits of one game. */
export async function lockGame(
  tx: Transaction,
  caller: Caller,
  ref: string,
  need: Need,
): Promise<GameAccess> {
  return await admit(tx, caller, ref, need, true)
}

/** Changes a game in a transaction that has locked it. */
export async function changeGame<Result>(
  db: Db,
  caller: Caller,
  ref: string,
  need: Need,
  change: (tx: Transaction, game: queries.GameRow) => Promise<Result>,
): Promise<Result> {
  return await db.transaction(async (tx) => {
    const { game } = await lockGame(tx, caller, ref, need)
    return await change(tx, game)
  })
}

async function admit(db: Db, caller: Caller, ref: string, need: Need, lock: boolean): Promise<GameAccess> {
  const found = await queries.findGameWithRole(db, ref, caller.userUid, lock)
  if (!found) throw new AppError('not_found')
  const { game } = found
  const role = roleOf(found, caller)
  const sees = maySee(game, role, caller)
  const isEnough: Readonly<Record<Need, boolean>> = {
    see: sees,
    use: sees || role !== null,
    edit: role !== null,
    own: role === 'owner',
  }
  if (isEnough[need]) return { game, role }
  throw new AppError(sees || (need !== 'see' && role !== null) ? 'forbidden' : 'not_found')
}

/** The game, if the caller can open its page or works on it; null if it is hidden or does not exist. */
export async function findVisibleGame(db: Db, caller: Caller, ref: string): Promise<queries.GameRow | null> {
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

/** Operators also see what they took down. */
function maySee(game: queries.GameRow, role: Role | null, { isOperator = false }: Caller): boolean {
  return maySeePage(game.visibility, role) || (isOperator && game.takenDown !== null)
}

/**
 * Call before opening a page or serving its files: only operators may when it was taken down. Its owner and
 * admins can still edit it.
 */
export function refuseTakenDown(
  { takenDown }: Pick<queries.GameRow, 'takenDown'>,
  { isOperator = false }: Pick<Caller, 'isOperator'> = {},
): void {
  if (!takenDown || isOperator) return
  throw new AppError('forbidden', {
    message: `The operators of this store took this page down: ${takenDown.reason} It stays hidden until they restore it.`,
  })
}

/** Writes to a listing are counted together, whether its uid or its name was sent; a hidden name counts as unknown. */
export function listingSource(db: Db) {
  return {
    async findListingUid(ref: string, userUid: string): Promise<string> {
      if (isUid(ref)) return ref.toLowerCase()
      return (await findVisibleGame(db, { userUid }, ref))?.uid ?? sha256Hex(ref)
    },
  }
}

/** A page as anyone may open it. An old name redirects to the current one; everything else is not found. */
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
    if (maySee(found.game, role, caller)) return { game: found.game, role }
  }
  return { game: await openPublicGame(db, ref), role: null }
}

/** After an edit by owner or admin: sets `updated_at`, and invalidates the page and those that show it. */
export async function markEdited(tx: Transaction, uid: string): Promise<void> {
  await queries.touchGame(tx, uid)
  await notifyWithNeighbours(tx, uid)
}

/** Call with the change's own transaction: every process forgets the page when it commits. */
export async function notifyChange(tx: Transaction, uid: string): Promise<void> {
  await notify(tx, GAME_CHANGED, uid)
  await queueForSearch(tx, uid)
}

/** The page and its neighbours. When an edit changes a link, call it before and after: both ends show it. */
export async function notifyWithNeighbours(tx: Transaction, uid: string): Promise<void> {
  await notifyPages(tx, [uid, ...(await queries.listNeighbours(tx, uid, NEIGHBOURS_MAX))])
  await queueForSearch(tx, uid)
}

/** Only the listing itself is indexed again: the documents of its neighbours do not change. */
async function queueForSearch(tx: Transaction, uid: string): Promise<void> {
  await queries.insertSearchChange(tx, uid)
  await enqueue(tx, indexListings, {})
}

/** Notifies the pages that show this person. */
export async function notifyPagesShowing(tx: Transaction, userUid: string): Promise<void> {
  await notifyPages(tx, await queries.listPagesNaming(tx, userUid, NEIGHBOURS_MAX))
}

/** The same for a new name. Only searches for the developer's own listings use it, so only these are indexed again. */
export async function notifyRenamedDeveloper(tx: Transaction, userUid: string): Promise<void> {
  await notifyPagesShowing(tx, userUid)
  await queries.insertSearchChangesOf(tx, userUid)
  await enqueue(tx, indexListings, {})
}

/** Beyond the bound, it is cheaper to invalidate all pages than to list them. */
export async function notifyPages(tx: Transaction, uids: readonly string[]): Promise<void> {
  if (uids.length > 0) await notify(tx, GAME_CHANGED, ...(uids.length < NEIGHBOURS_MAX ? uids : [ALL_GAMES]))
}

/** Renames of an account and of its listings count together. */
export async function countRename(tx: Transaction, userUid: string): Promise<void> {
  await countLasting(tx, 'rename', userUid, `You can change names ${LIMITS.rename.max} times a day.`)
}

type Author = WebsiteUser | Agent

/** Records a change in the transaction that makes it, so that none is missing. */
export async function recordChange(
  tx: Transaction,
  author: Author,
  gameUid: string,
  change: { kind: HistoryKind; subject: string },
): Promise<void> {
  await recordChangeBy(tx, await nameAuthor(tx, author), gameUid, change)
}

/** For a change that was requested earlier, under the name of that person. */
export async function recordChangeBy(
  tx: Transaction,
  changedBy: string,
  gameUid: string,
  change: { kind: HistoryKind; subject: string },
): Promise<void> {
  await queries.insertChange(tx, { gameUid, ...change, changedBy })
}

/** The name that histories show: a username, or `<program> for <username>`. */
export async function nameAuthor(db: Db, author: Author): Promise<string> {
  if (author.kind === 'user') return author.username
  const names = await queries.findAgentNames(db, author.userUid, author.clientId)
  if (!names) throw new Error('The agent acts for nobody')
  return `${showProgramName(names.program)} for ${names.username}`
}

export async function listHistory(
  deps: Deps,
  actor: Author,
  ref: string,
  page: Page,
): Promise<Paged<Change>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return mapPage(await queries.listChanges(deps.db, game.uid, page), (row) =>
    respond(Change, row, { changed_at: row.createdAt }),
  )
}
