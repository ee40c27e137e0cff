import type { Transaction } from '../../../db/client.ts'
import { isForeignKeyViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, Player, StorePlayer, WebsiteUser } from '../../../domain/actor.ts'
import type { TicketSource } from '../../../domain/bugs.ts'
import { AppError } from '../../../errors.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { extendIdleTimeout } from '../../../lib/net/requests.ts'
import { requireLicense } from '../../community/library/service.ts'
import { nameAuthor, openGame } from '../../games/service.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import { identifyFiler, openReportedGame } from '../filers.ts'
import { loadReporter, lockReporter, type Reporter } from '../settings/service.ts'
import type { Filer } from '../shared-queries.ts'
import { createDeliveries } from '../webhooks/service.ts'
import type { FiledReport, ReportInput } from './model.ts'
import * as queries from './queries.ts'
import {
  parseReport,
  type ReceivedReport,
  receiveReport,
  refuseLargeLog,
  type ReportArrival,
} from './receive.ts'

/** A filed report, and what is left of the filer's daily quota. */
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

/** Further reports of one filer wait before their body is read, which may have 32 MiB. */
const REPORTS_AT_ONCE = 2
const WAIT_MS = 60_000
const DAY_SECONDS = 24 * 60 * 60
const receiving = createKeyedSemaphore(REPORTS_AT_ONCE)

/** Files a report from the running game, while the reporter is on. */
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

/** Files a report from the store page, by a player with a licence, while the reporter is on. */
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

/** Files a report of a program for a player with a licence, even while the reporter is off. */
export async function reportBug(
  deps: Deps,
  actor: Agent,
  ref: string,
  input: ReportInput,
): Promise<FiledReport> {
  const { game } = await openGame(deps.db, actor, ref, 'see')
  await requireLicense(deps.db, actor.userUid, game.uid)
  refuseLargeLog(Buffer.byteLength(input.log ?? ''))
  const report = parseReport(input)
  const [filer, by] = await Promise.all([identifyFiler(deps.db, actor), nameAuthor(deps.db, actor)])
  const filing = { gameUid: game.uid, filer, source: 'agent', by } as const
  return (await fileTicket(deps, filing, { report, screenshot: null })).ticket
}

/** Refuses before reading the body where possible; the transaction that files the ticket checks again. */
async function receiveFiling(deps: Deps, filing: Filing, arrival: ReportArrival): Promise<Filed> {
  const { gameUid, filer } = filing
  return await extendIdleTimeout(arrival, async () => {
    using held = new DisposableStack()
    held.use(await waitForOthers(`${gameUid} ${filer.userUid ?? filer.extstoreId}`))
    const { dailyCap } = requireOn(filing, await loadReporter(deps.db, gameUid))
    requireRoom(dailyCap, await queries.countToday(deps.db, gameUid, filer))
    return await receiveReport(deps, gameUid, arrival, (received) => fileTicket(deps, filing, received))
  })
}

/** Counts under the filer's lock, so that concurrent reports cannot exceed the cap, in any process. */
async function fileTicket(deps: Deps, filing: Filing, received: ReceivedReport): Promise<Filed> {
  const { gameUid, filer } = filing
  const filed = deps.db.transaction(async (tx) => {
    // The game is locked first, as everywhere else, so that transactions cannot deadlock.
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

/** How many reports the filer has left today, as the rate-limit headers show it. */
interface Quota {
  cap: number
  remaining: number
}

export function quotaHeaders({ cap, remaining }: Quota): Record<string, string> {
  return {
    'ratelimit-limit': String(cap),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(secondsToMidnight()),
  }
}

function requireRoom(cap: number, count: number): Quota {
  if (count < cap) return { cap, remaining: cap - count - 1 }
  const headers = { ...quotaHeaders({ cap, remaining: 0 }), 'retry-after': String(secondsToMidnight()) }
  throw new AppError('bug_cap_reached', { headers })
}

/** Until the next UTC day. */
function secondsToMidnight(): number {
  return DAY_SECONDS - (Math.floor(Date.now() / 1000) % DAY_SECONDS)
}
