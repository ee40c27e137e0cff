import { composeMail, type MailMessage } from '../../../clients/mail/mail.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { addLastingCount } from '../../../db/rate-counts.ts'
import type { Deps } from '../../../deps.ts'
import { nameForMail, type WebsiteUser } from '../../../domain/actor.ts'
import { objectKeyOfFile, showEngine } from '../../../domain/builds/files.ts'
import { REPORT_STATES, type ReportState } from '../../../domain/reports.ts'
import { queueUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged, parsePage } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'
import { plural } from '../../../lib/text/show.ts'
import { listOperatorAddresses } from '../../accounts/operators.ts'
import { recordAct } from '../../audit/service.ts'
import { rescanFile } from '../../builds/scans/service.ts'
import type { GameRow } from '../../games/service.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import { announceWaiting } from '../../listings/page/jobs.ts'
import {
  approvePublication,
  declinePublication,
  restorePage,
  takeDownPage,
} from '../../listings/page/visibility.ts'
import { sendMail } from '../../mail/jobs.ts'
import { renewImmediately, renewKeys } from '../../storage/service.ts'
import {
  type ListingWithFiles,
  OperatorFile,
  OperatorListing,
  PageReport,
  WaitingPublication,
} from './model.ts'
import * as queries from './queries.ts'

const FILES_SHOWN = 100

export async function listListings(
  db: Db,
  search: queries.ListingSearch,
  page: Page,
): Promise<Paged<OperatorListing>> {
  return mapPage(await queries.listGames(db, search, page), toListing)
}

export async function getListing(db: Db, uid: string): Promise<ListingWithFiles> {
  const row = isUid(uid) ? await queries.findGame(db, uid) : undefined
  if (!row) throw new AppError('not_found')
  const files = await queries.listFiles(db, uid, FILES_SHOWN)
  return { ...toListing(row), files: files.map(toFile) }
}

/** Hides the page from everyone but its owner and operators. New file keys invalidate its download links. */
export async function takeDown(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason: string,
): Promise<OperatorListing> {
  const { listing, moves } = await deps.db.transaction(async (tx) => {
    const game = await lockGame(tx, uid)
    await takeDownPage(deps, tx, game, reason)
    await queries.resolveReportsOf(tx, game.uid)
    const act = { act: 'take_down', subject: 'listing', id: game.uid, name: game.name, reason } as const
    await recordAct(tx, operator, act)
    const keys = await queries.listCleanKeys(tx, game.uid)
    const moves = keys.map((from) => ({ from, to: objectKeyOfFile(game.uid, createUid()) }))
    await renewKeys(tx, { moves })
    return { listing: await loadListing(tx, uid), moves }
  })
  await renewImmediately(deps, { moves })
  return listing
}

export async function restore(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason?: string,
): Promise<OperatorListing> {
  return await deps.db.transaction(async (tx) => {
    const game = await lockGame(tx, uid)
    await restorePage(deps, tx, game)
    const act = { act: 'restore_listing', subject: 'listing', id: game.uid, name: game.name, reason } as const
    await recordAct(tx, operator, act)
    return await loadListing(tx, uid)
  })
}

export async function rescan(deps: Deps, operator: WebsiteUser, fileUid: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { uid, filename } = await rescanFile(tx, fileUid)
    await recordAct(tx, operator, { act: 'rescan_file', subject: 'file', id: uid, name: filename })
  })
}

async function lockGame(tx: Transaction, uid: string): Promise<GameRow> {
  const game = isUid(uid) ? await lockWholeGame(tx, uid) : undefined
  if (!game) throw new AppError('not_found')
  return game
}

async function loadListing(tx: Transaction, uid: string): Promise<OperatorListing> {
  const row = await queries.findGame(tx, uid)
  if (!row) throw new AppError('not_found')
  return toListing(row)
}

function toNamed(uid: string, { username, displayName }: { username: string; displayName: string }) {
  return { uid, username, display_name: displayName }
}

function toListing(row: queries.ListingRow): OperatorListing {
  const owner = { ...toNamed(row.ownerUid, row.person), suspended: row.isOwnerSuspended }
  return respond(OperatorListing, row, { owner })
}

function toFile({ file, build }: queries.FileRow): OperatorFile {
  return respond(OperatorFile, { ...file, ...build }, { scan_engine: showEngine(file.scanEngine) })
}

export function parseReportState(text: string | null | undefined): ReportState {
  return REPORT_STATES.find((state) => state === text) ?? 'open'
}

export async function listReports(db: Db, state: ReportState, page: Page): Promise<Paged<PageReport>> {
  return mapPage(await queries.listReports(db, state, page), toReport)
}

export async function countOpenReports(db: Db): Promise<number> {
  return await queries.countReports(db, 'open')
}

/** dismissed: nothing is wrong; resolved: something was done about it. */
export async function closeReport(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  state: 'dismissed' | 'resolved',
): Promise<PageReport> {
  if (!isUid(uid)) throw new AppError('not_found')
  return await deps.db.transaction(async (tx) => {
    const found = await queries.findReport(tx, uid)
    if (!found) throw new AppError('not_found')
    if (!(await queries.closeReport(tx, uid, state))) {
      throw new AppError('taken', { message: 'This report is already closed.' })
    }
    const act = state === 'dismissed' ? 'dismiss_report' : 'resolve_report'
    await recordAct(tx, operator, { act, subject: 'report', id: uid, name: found.name })
    return toReport({ ...found, report: { ...found.report, state } })
  })
}

function toReport({ report, person, vanityName, name, isTakenDown, post }: queries.ReportRow): PageReport {
  return respond(PageReport, report, {
    post: post && { uid: post.uid, title: post.title, slug: post.slug, taken_down: post.isTakenDown },
    listing: { uid: report.gameUid, vanity_name: vanityName, name, taken_down: isTakenDown },
    reporter: toNamed(report.userUid, person),
  })
}

export async function listWaiting(db: Db, page: Page): Promise<Paged<WaitingPublication>> {
  return mapPage(await queries.listWaiting(db, page), ({ game, person }) =>
    respond(WaitingPublication, game, {
      visibility: game.pendingPublication?.visibility ?? 'public',
      asked_at: game.pendingPublication?.at ?? game.updatedAt,
      owner: toNamed(game.ownerUid, person),
    }),
  )
}

export async function countWaiting(db: Db): Promise<number> {
  return await queries.countWaiting(db)
}

export async function approve(deps: Deps, operator: WebsiteUser, uid: string): Promise<void> {
  await decide(deps, uid, async (tx, game) => {
    await approvePublication(deps, tx, game)
    await recordAct(tx, operator, { act: 'approve_publication', ...subjectOf(game) })
  })
}

export async function decline(deps: Deps, operator: WebsiteUser, uid: string, reason: string): Promise<void> {
  await decide(deps, uid, async (tx, game) => {
    await declinePublication(deps, tx, game, reason)
    await recordAct(tx, operator, { act: 'decline_publication', ...subjectOf(game), reason })
  })
}

async function decide(
  deps: Deps,
  uid: string,
  work: (tx: Transaction, game: GameRow) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const game = isUid(uid) ? await lockWholeGame(tx, uid) : undefined
    if (!game) throw new AppError('not_found')
    await work(tx, game)
  })
}

function subjectOf({ uid, name }: GameRow) {
  return { subject: 'listing', id: uid, name } as const
}

/** Operators get at most one mail in this time; publications that arrive in between share the next one. */
const PAUSE_MS = 60 * 60 * 1000
const LISTED_MAX = 20

/** Mails the pending publications to every operator, or postpones itself until the pause is over. */
export async function announcePublications({ config, db }: Deps): Promise<void> {
  await db.transaction(async (tx) => {
    const { items, total } = await listWaiting(tx, parsePage({ page_size: String(LISTED_MAX) }))
    if (total === 0) return
    const { count, resetMs } = await addLastingCount(tx, 'waiting_publications', PAUSE_MS)
    if (count > 1) {
      const runAt = new Date(Date.now() + Math.max(0, resetMs))
      return await enqueue(tx, announceWaiting, {}, { key: announceWaiting.name, runAt })
    }
    for (const email of await listOperatorAddresses(config, tx))
      await enqueue(tx, sendMail, waitingMail(email, items, total, queueUrl(config.baseUrl)))
  })
}

function waitingMail(
  email: string,
  waiting: readonly WaitingPublication[],
  total: number,
  queue: string,
): MailMessage {
  const listed = waiting.map(
    ({ name, owner }) =>
      `- ${showName(name, NAME_MAX)}, by ${nameForMail({ ...owner, displayName: owner.display_name })}`,
  )
  const more = total > listed.length ? [`- and ${total - listed.length} more`] : []
  const subject = total === 1 ? 'A page waits' : plural(total, 'page waits', 'pages wait')
  return composeMail(
    { email },
    `${subject} for your approval`,
    [
      `Developers asked to publish their first page in this store. Approve or decline here: ${queue}`,
      `${total === 1 ? 'This one waits' : 'These wait, the oldest first'}:\n${[...listed, ...more].join('\n')}`,
      'Publications that are asked for within the next hour are told in one mail.',
    ],
    { label: 'Open the queue', url: queue },
  )
}
