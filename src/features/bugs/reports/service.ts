import type { Transaction } from '../../../db/client.ts'
import { isForeignKeyViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, Player, StorePlayer, WebsiteUser } from '../../../domain/actor.ts'
import type { TicketSource } from '../../../domain/bugs.ts'
import { AppError } from '../../../errors.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { extendIdleTimeout } from '../../../lib/net/idle-timeout.ts'
import { requireLicense } from '../../community/library/service.ts'
import { nameAuthor } from '../../games/history.ts'
import { openGame } from '../../games/service.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import type { Filer } from '../filer-model.ts'
import { identifyFiler } from '../filers.ts'
import { openReportedGame } from '../reported-game.ts'
import { lockReporter, readReporter, type Reporter } from '../settings/rows.ts'
import { createDeliveries } from '../webhooks/service.ts'
import { type Quota, requireRoom } from './cap.ts'
import type { FiledReport, ReportInput } from './model.ts'
import * as queries from './queries.ts'
import { readReport, refuseLargeLog } from './read-report.ts'
import { type ReceivedReport, receiveReport, type ReportArrival } from './receive.ts'

/** A filed report, and what is left of the filer's day. */
export interface Filed {
  ticket: FiledReport
  quota: Quota
}

interface Filing {
  gameUid: string
  filer: Filer
  source: TicketSource
  /** Written to the history when a program filed it. */
  by?: string
}

/** More reports of one reporter wait unread: each may bring 32 MiB before the cap is known to be reached. */
const REPORTS_AT_ONCE = 2
const WAIT_MS = 60_000
const receiving = createKeyedSemaphore(REPORTS_AT_ONCE)

/** From the running game, while the reporter is on. */
export async function reportInGame(
  deps: Deps,
  actor: Player | StorePlayer,
  ref: string,
  arrival: ReportArrival,
): Promise<Filed> {
  const { uid: gameUid } = await openReportedGame(deps.db, actor, ref)
  const filer = await identifyFiler(deps.db, actor)
  return await receiveFiling(deps, { gameUid, filer, source: 'game' }, arrival)
}

/** From the store page, by players with a licence, while the reporter is on. */
export async function reportFromStore(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  arrival: ReportArrival,
): Promise<Filed> {
  const { game } = await openGame(deps.db, actor, ref, 'see')
  await requireLicense(deps.db, actor.userUid, game.uid)
  const filer = await identifyFiler(deps.db, actor)
  return await receiveFiling(deps, { gameUid: game.uid, filer, source: 'store' }, arrival)
}

/** By a program for a player with a licence, also while the reporter is off. */
export async function reportBug(
  deps: Deps,
  actor: Agent,
  ref: string,
  input: ReportInput,
): Promise<FiledReport> {
  const { game } = await openGame(deps.db, actor, ref, 'see')
  await requireLicense(deps.db, actor.userUid, game.uid)
  refuseLargeLog(Buffer.byteLength(input.log ?? ''))
  const report = readReport(input)
  const [filer, by] = await Promise.all([identifyFiler(deps.db, actor), nameAuthor(deps.db, actor)])
  const filing = { gameUid: game.uid, filer, source: 'agent', by } as const
  return (await fileTicket(deps, filing, { report, screenshot: null })).ticket
}

/** Refuses before the body is read where it can; the transaction that files the ticket decides. */
async function receiveFiling(deps: Deps, filing: Filing, arrival: ReportArrival): Promise<Filed> {
  const { gameUid, filer } = filing
  return await extendIdleTimeout(arrival, async () => {
    using held = new DisposableStack()
    held.use(await waitForOthers(`${gameUid} ${filer.userUid ?? filer.extstoreId}`))
    const { dailyCap } = requireOn(filing, await readReporter(deps.db, gameUid))
    requireRoom(dailyCap, await queries.countToday(deps.db, gameUid, filer))
    return await receiveReport(deps, gameUid, arrival, (received) => fileTicket(deps, filing, received))
  })
}

/** The cap holds whatever runs at the same time, here and in other processes: the filer's lock orders the counts. */
async function fileTicket(deps: Deps, filing: Filing, received: ReceivedReport): Promise<Filed> {
  const { gameUid, filer } = filing
  const filed = deps.db.transaction(async (tx) => {
    // The game first, as everyone else locks them, so that no two transactions wait for each other.
    await lockGameRow(tx, gameUid, 'key share')
    const reporter = requireOn(filing, await lockReporter(tx, gameUid))
    await queries.lockFiler(tx, gameUid, filer)
    const quota = requireRoom(reporter.dailyCap, await queries.countToday(tx, gameUid, filer))
    const ticket = await storeTicket(tx, filing, received)
    await createDeliveries(deps, tx, gameUid, ticket.ticket_uid, reporter.webhookUrls)
    return { ticket, quota }
  })
  return await filed.catch((error: unknown) => {
    // The game or the account was deleted in the meantime.
    throw isForeignKeyViolation(error) ? new AppError('not_found', { cause: error }) : error
  })
}

async function storeTicket(
  tx: Transaction,
  { gameUid, filer, source, by }: Filing,
  { report, screenshot }: ReceivedReport,
): Promise<FiledReport> {
  const { uid, createdAt } = await queries.insertTicket(tx, { gameUid, ...filer, source, ...report })
  if (screenshot) await queries.insertScreenshot(tx, { ticketUid: uid, gameUid, ...screenshot })
  if (by !== undefined) await queries.insertCreation(tx, uid, by)
  return { ticket_uid: uid, created_at: createdAt.toISOString() }
}

function requireOn({ source }: Filing, reporter: Reporter): Reporter {
  if (reporter.enabled || source === 'agent') return reporter
  throw new AppError('forbidden', {
    message: 'The bug reporter of this game is off. Its developer can turn it on.',
  })
}

async function waitForOthers(filer: string): Promise<Disposable> {
  const signal = AbortSignal.timeout(WAIT_MS)
  try {
    return await receiving.acquire(filer, signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new AppError('rate_limited', {
      message: 'Other reports of yours are still arriving. Send this one again in a minute.',
      headers: { 'retry-after': '60' },
      cause,
    })
  }
}
