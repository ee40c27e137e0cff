import type { ObjectRead } from '../../../clients/objects/object-store.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, Player, StorePlayer, WebsiteUser } from '../../../domain/actor.ts'
import type { TicketStatus } from '../../../domain/bugs.ts'
import { AppError } from '../../../errors.ts'
import { equalsConstantTime } from '../../../lib/bytes/hash.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { cutAtWord, oneLine } from '../../../lib/text/characters.ts'
import { recordNotice, withdrawNotice } from '../../games/notice-events.ts'
import { changeGame, type GameRow, nameAuthor, openGame } from '../../games/service.ts'
import { identifyFiler, openReportedGame } from '../filers.ts'
import { loadReporter, openSigningKey } from '../settings/service.ts'
import {
  BugNotice,
  type BugNotices,
  type NoticesAcked,
  Ticket,
  type TicketDetails,
  TicketEvent,
  type TicketPatch,
} from './model.ts'
import * as queries from './queries.ts'

type Caller = WebsiteUser | Agent

const SCREENSHOT_SECONDS = 60 * 60
/** Limits of notices: characters quoted from the report, and notices in one response. */
const EXCERPT_MAX = 140
const SHOWN_MAX = 100

/** Newest first. */
export async function listTickets(
  deps: Deps,
  actor: Caller,
  ref: string,
  status: TicketStatus | undefined,
  page: Page,
): Promise<Paged<Ticket>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const [tickets, signingKey] = await Promise.all([
    queries.listTickets(deps.db, game.uid, status, page),
    findSigningKey(deps, deps.db, game.uid),
  ])
  return mapPage(tickets, (row) => toTicket(deps, row, signingKey))
}

export async function loadTicket(
  deps: Deps,
  actor: Caller,
  ref: string,
  ticketUid: string,
): Promise<TicketDetails> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await loadDetails(deps, deps.db, await requireTicket(deps.db, game.uid, ticketUid))
}

/** Every change is one entry of the history. A patch that changes nothing adds none. */
export async function changeTicket(
  deps: Deps,
  actor: Caller,
  ref: string,
  ticketUid: string,
  patch: TicketPatch,
): Promise<TicketDetails> {
  const by = await nameAuthor(deps.db, actor)
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const before = await requireTicket(tx, game.uid, ticketUid)
    await applyPatch(tx, before, patch, by)
    const after = await requireTicket(tx, game.uid, ticketUid)
    const details = await loadDetails(deps, tx, after)
    await notifyFiler(tx, game, before.status, after)
    return details
  })
}

async function applyPatch(
  tx: Transaction,
  before: queries.TicketRow,
  patch: TicketPatch,
  by: string,
): Promise<void> {
  const status = patch.status ?? before.status
  const isReopened = status !== before.status && (status === 'open' || status === 'in_progress')
  const known = isReopened ? null : before.fixedInVersion
  const fixedInVersion = patch.fixed_in_version === undefined ? known : patch.fixed_in_version?.trim() || null
  const note = patch.note?.trim() || null
  const isMoved = status !== before.status || fixedInVersion !== before.fixedInVersion
  if (!isMoved && note === null) return
  await queries.updateTicket(tx, before.uid, { status, fixedInVersion })
  if (isMoved) await updateNotice(tx, before.uid, before.status, status, fixedInVersion)
  await queries.insertEvent(tx, {
    ticketUid: before.uid,
    by,
    fromStatus: before.status,
    toStatus: status,
    fixedInVersion,
    note,
  })
}

async function requireTicket(db: Db, gameUid: string, uid: string): Promise<queries.TicketRow> {
  const row = isUid(uid) ? await queries.findTicket(db, gameUid, uid) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

async function loadDetails(deps: Deps, db: Db, row: queries.TicketRow): Promise<TicketDetails> {
  const signingKey = await findSigningKey(deps, db, row.gameUid)
  return {
    ...toTicket(deps, row, signingKey),
    log: await queries.findLog(db, row.uid),
    history: (await queries.listEvents(db, row.uid)).map((event) =>
      respond(TicketEvent, event, { at: event.createdAt }),
    ),
  }
}

async function findSigningKey(deps: Deps, db: Db, gameUid: string): Promise<string | null> {
  return openSigningKey(deps, await loadReporter(db, gameUid))
}

function toTicket({ config }: Deps, row: queries.TicketRow, signingKey: string | null): Ticket {
  const { screenshotKey } = row
  return respond(Ticket, row, {
    ticket_uid: row.uid,
    screenshot_url:
      signingKey &&
      screenshotKey &&
      createScreenshotUrl(config.baseUrl, signingKey, screenshotKey, SCREENSHOT_SECONDS),
    reporter: { username: row.username, extstore_id: row.extstoreId },
  })
}

/** A notice with the name of its game, for the pages. */
export interface NamedNotice extends BugNotice {
  /** null: the game is hidden, and the filer never had it in the library. */
  game_name: string | null
}

/** Unread notices of one game, newest first; also while its reporter is off. */
export async function listNotices(deps: Deps, actor: Player | StorePlayer, ref: string): Promise<BugNotices> {
  const { uid } = await openReportedGame(deps.db, actor, ref)
  const rows = await queries.listUnread(deps.db, await identifyFiler(deps.db, actor), uid, SHOWN_MAX)
  return { notices: rows.map(toNotice) }
}

export async function acknowledgeNotices(
  deps: Deps,
  actor: Player | StorePlayer,
  ref: string,
  uids: readonly string[],
): Promise<NoticesAcked> {
  const { uid } = await openReportedGame(deps.db, actor, ref)
  const filer = await identifyFiler(deps.db, actor)
  return { acknowledged: await queries.acknowledge(deps.db, filer, uid, uids.filter(isUid)) }
}

/** Unread notices of every game. */
export async function listAllNotices(deps: Deps, user: WebsiteUser): Promise<NamedNotice[]> {
  const rows = await queries.listUnread(deps.db, await identifyFiler(deps.db, user), null, SHOWN_MAX)
  return rows.map((row) => ({ ...toNotice(row), game_name: row.gameName }))
}

export async function acknowledgeAnyNotices(
  deps: Deps,
  user: WebsiteUser,
  uids: readonly string[],
): Promise<NoticesAcked> {
  const filer = await identifyFiler(deps.db, user)
  return { acknowledged: await queries.acknowledge(deps.db, filer, null, uids.filter(isUid)) }
}

/** A fixed ticket gets one notice. Closing or reopening it withdraws the notice if nobody has read it. */
async function updateNotice(
  tx: Transaction,
  ticketUid: string,
  from: TicketStatus,
  to: TicketStatus,
  fixedInVersion: string | null,
): Promise<void> {
  if (to !== 'fixed') await queries.deleteUnread(tx, ticketUid)
  else if (from === 'fixed') await queries.updateUnread(tx, ticketUid, fixedInVersion)
  else await queries.insertNotice(tx, ticketUid, fixedInVersion)
}

/** Tells the account that filed it, if there is one, and takes that back when it was not fixed after all. */
async function notifyFiler(
  tx: Transaction,
  { ownerUid }: GameRow,
  from: TicketStatus,
  { uid, gameUid, userUid, status, fixedInVersion, message }: queries.TicketRow,
): Promise<void> {
  if (userUid === null || status === from) return
  const onceKey = `bug_fixed ${uid}`
  if (status !== 'fixed') return await withdrawNotice(tx, onceKey)
  await recordNotice(tx, {
    kind: 'bug_fixed',
    gameUid,
    developerUid: ownerUid,
    userUid,
    facts: {
      title: fixedInVersion === null ? 'A bug that you reported is fixed' : `Fixed in ${fixedInVersion}`,
      text: cutAtWord(oneLine(message), EXCERPT_MAX),
    },
    onceKey,
  })
}

function toNotice({ notice, message }: queries.NoticeRow): BugNotice {
  return respond(BugNotice, notice, { excerpt: cutAtWord(oneLine(message), EXCERPT_MAX) })
}

interface OpenedScreenshot extends Pick<ObjectRead, 'stream' | 'size'> {
  contentType: string
}

/** The path of a screenshot on our server is its object key. */
export function createScreenshotUrl(
  baseUrl: string,
  signingKey: string,
  objectKey: string,
  validSeconds: number,
): string {
  const path = `/${objectKey}`
  const expires = String(Math.floor(Date.now() / 1000) + validSeconds)
  const signature = encodeURIComponent(signPath(signingKey, path, expires))
  return `${baseUrl}${path}?Expires=${expires}&Signature=${signature}`
}

/** Without a valid signature every path gets the same error, whether there is a screenshot or not. */
export async function openScreenshot(
  deps: Deps,
  gameUid: string,
  objectKey: string,
  query: SignedQuery,
): Promise<OpenedScreenshot> {
  const key = isUid(gameUid) ? openSigningKey(deps, await loadReporter(deps.db, gameUid)) : null
  if (key === null || !isGenuine(key, `/${objectKey}`, query))
    throw new AppError('forbidden', {
      message: 'This screenshot link is not valid. Open the ticket for a new one.',
    })
  if (Number(query.Expires) <= Date.now() / 1000)
    throw new AppError('forbidden', {
      message: 'This screenshot link has expired. Open the ticket for a new one.',
    })
  const row = await queries.findScreenshot(deps.db, objectKey)
  if (!row) throw new AppError('not_found')
  const { stream, size } = await deps.objects.get(objectKey)
  return { stream, size, contentType: row.contentType }
}

/** Base64 HMAC-SHA1 over five lines: the method, two empty ones, the expiry in Unix seconds, and the path. */
function signPath(signingKey: string, path: string, expires: string): string {
  const lines = ['GET', '', '', expires, path].join('\n')
  return new Bun.CryptoHasher('sha1', signingKey).update(lines).digest('base64')
}

interface SignedQuery {
  Expires?: string | undefined
  Signature?: string | undefined
}

/** The signature is compared before the expiry is looked at, and in constant time. */
function isGenuine(signingKey: string, path: string, { Expires = '', Signature = '' }: SignedQuery): boolean {
  return /^\d{1,12}$/.test(Expires) && equalsConstantTime(signPath(signingKey, path, Expires), Signature)
}
