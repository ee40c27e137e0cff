import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { readReport } from '../check/service.ts'
import { graceEndedMail, graceEndsMail } from './mails.ts'
import { mailOwner } from './owner-mail.ts'
import * as queries from './queries.ts'
import { storeVisibility } from './store-visibility.ts'

export const GRACE_DAYS = 30
export const WARNING_DAYS = 7
const BATCH = 100
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Pages that were public on GRACE_START have 30 days to pass the check. Owners of failing pages get one mail seven
 * days before the end; then those pages become invisible. Idempotent.
 */
export async function enforceGracePeriod(deps: Deps, now: Date, signal?: AbortSignal): Promise<void> {
  if (deps.config.graceStart === null) return
  const start = new Date(deps.config.graceStart)
  const endsAt = new Date(start.getTime() + GRACE_DAYS * DAY_MS)
  if (now.getTime() < endsAt.getTime() - WARNING_DAYS * DAY_MS) return
  let after = FIRST
  while (signal?.aborted !== true) {
    const pages = await queries.listGracePages(deps.db, start, after, BATCH)
    for (const { uid } of pages)
      await deps.db.transaction((tx) => checkPageInGrace(deps, tx, uid, endsAt, now))
    const last = pages.at(-1)
    if (!last || pages.length < BATCH) return
    after = last.uid
  }
}

async function checkPageInGrace(
  deps: Deps,
  tx: Transaction,
  uid: string,
  endsAt: Date,
  now: Date,
): Promise<void> {
  const game = await queries.lockPublicPage(tx, uid)
  if (!game) return
  const report = await readReport(tx, uid)
  if (report.ok) return
  if (now >= endsAt) {
    await storeVisibility(tx, game, 'invisible')
    await mailOwner(deps, tx, game, (page) => graceEndedMail(page, report.errors))
  } else if (game.graceWarnedAt === null) {
    await queries.markWarned(tx, uid, now)
    await mailOwner(deps, tx, game, (page) => graceEndsMail(page, report.errors, endsAt))
  }
}
