import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import type { TicketStatus } from '../../../domain/bugs.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { nameAuthor } from '../../games/history.ts'
import { lockGame, openGame } from '../../games/service.ts'
import { updateNotice } from '../notices/service.ts'
import { createScreenshotUrl } from '../screenshots/service.ts'
import { openSigningKey, readReporter } from '../settings/rows.ts'
import type { Ticket, TicketDetails, TicketEvent, TicketPatch } from './model.ts'
import * as queries from './queries.ts'

type Caller = WebsiteUser | Agent

const SCREENSHOT_SECONDS = 60 * 60

/** Newest first. */
export async function listTickets(
  deps: Deps,
  actor: Caller,
  ref: string,
  status: TicketStatus | undefined,
  page: Page,
): Promise<Paged<Ticket>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const [rows, total, signingKey] = await Promise.all([
    queries.listTickets(deps.db, game.uid, status, page),
    queries.countTickets(deps.db, game.uid, status),
    readSigningKey(deps, deps.db, game.uid),
  ])
  return paged(
    page,
    rows.map((row) => toTicket(deps, row, signingKey)),
    total,
  )
}

export async function readTicket(
  deps: Deps,
  actor: Caller,
  ref: string,
  ticketUid: string,
): Promise<TicketDetails> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await readDetails(deps, deps.db, await requireTicket(deps.db, game.uid, ticketUid))
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
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const before = await requireTicket(tx, game.uid, ticketUid)
    await applyPatch(tx, before, patch, by)
    return await readDetails(deps, tx, await requireTicket(tx, game.uid, ticketUid))
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

async function readDetails(deps: Deps, db: Db, row: queries.TicketRow): Promise<TicketDetails> {
  const signingKey = await readSigningKey(deps, db, row.gameUid)
  return {
    ...toTicket(deps, row, signingKey),
    log: await queries.findLog(db, row.uid),
    history: (await queries.listEvents(db, row.uid)).map(toEvent),
  }
}

async function readSigningKey(deps: Deps, db: Db, gameUid: string): Promise<string | null> {
  return openSigningKey(deps, await readReporter(db, gameUid))
}

function toTicket({ config }: Deps, row: queries.TicketRow, signingKey: string | null): Ticket {
  const { screenshotKey } = row
  return {
    ticket_uid: row.uid,
    status: row.status,
    message: row.message,
    client_version: row.clientVersion,
    os: row.os,
    arch: row.arch,
    build_id: row.buildId,
    has_log: row.hasLog,
    screenshot_url:
      signingKey &&
      screenshotKey &&
      createScreenshotUrl(config.baseUrl, signingKey, screenshotKey, SCREENSHOT_SECONDS),
    source: row.source,
    reporter: { username: row.username, extstore_id: row.extstoreId },
    fixed_in_version: row.fixedInVersion,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

function toEvent(row: queries.EventRow): TicketEvent {
  return {
    uid: row.uid,
    at: row.createdAt.toISOString(),
    by: row.by,
    from_status: row.fromStatus,
    to_status: row.toStatus,
    fixed_in_version: row.fixedInVersion,
    note: row.note,
  }
}
