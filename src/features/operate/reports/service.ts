import type { Db, Transaction } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { REPORT_STATES, type ReportState } from '../../../domain/reports.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { recordAct } from '../audit/service.ts'
import type { Operate } from '../operate.ts'
import type { PageReport } from './model.ts'
import * as queries from './queries.ts'

export function readReportState(text: string | null | undefined): ReportState {
  return REPORT_STATES.find((state) => state === text) ?? 'open'
}

export async function listReports(db: Db, state: ReportState, page: Page): Promise<Paged<PageReport>> {
  const [rows, total] = await Promise.all([
    queries.listReports(db, state, page),
    queries.countReports(db, state),
  ])
  return paged(page, rows.map(toReport), total)
}

export async function countOpenReports(db: Db): Promise<number> {
  return await queries.countReports(db, 'open')
}

/** dismissed: nothing is wrong; resolved: something was done about it. */
export async function closeReport(
  { deps }: Operate,
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

/** For a page that was taken down. */
export async function resolveReportsOf(tx: Transaction, gameUid: string): Promise<void> {
  await queries.resolveReportsOf(tx, gameUid)
}

function toReport({ report, username, vanityName, name, isTakenDown }: queries.ReportRow): PageReport {
  const { uid, reason, text, state, createdAt, gameUid, userUid } = report
  return {
    uid,
    reason,
    text,
    state,
    created_at: createdAt.toISOString(),
    listing: { uid: gameUid, vanity_name: vanityName, name, taken_down: isTakenDown },
    reporter: { uid: userUid, username },
  }
}
