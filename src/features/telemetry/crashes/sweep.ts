import type { Deps } from '../../../deps.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { deleteOldCrashes, deleteOldGroups } from './queries.ts'
import { deleteOldQuotas } from './quota-queries.ts'

/** Reports stored per kind: enough to see what they have in common. */
const REPORTS_PER_KIND = 100
const REPORT_DAYS = 30
const GROUP_DAYS = 180
const QUOTA_DAYS = 2
const BATCH = 1000

export async function sweepOldCrashes(
  { db }: Pick<Deps, 'db'>,
  now: Date,
  signal?: AbortSignal,
): Promise<{ reports: number; groups: number }> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const repeat = async (remove: () => Promise<number>): Promise<number> => {
    for (let removed = 0; ;) {
      signal?.throwIfAborted()
      const count = await remove()
      removed += count
      if (count < BATCH) return removed
    }
  }
  await deleteOldQuotas(db, before(QUOTA_DAYS).toISOString().slice(0, 10))
  return {
    groups: await repeat(() => deleteOldGroups(db, before(GROUP_DAYS), BATCH)),
    reports: await repeat(() => deleteOldCrashes(db, before(REPORT_DAYS), REPORTS_PER_KIND, BATCH)),
  }
}
