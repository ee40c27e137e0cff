import type { Deps } from '../../../deps.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { TOKEN_SECONDS } from './model.ts'
import { deleteRevocations, deleteSessions } from './queries.ts'

const RETENTION_MS = 30 * DAY_MS
const BATCH = 5000

/** Deletes sessions 30 days after their token expired; a revocation goes with the last session it can affect. */
export async function deleteOldSessions(
  { db }: Pick<Deps, 'db'>,
  signal: AbortSignal,
  now: Date = new Date(),
): Promise<number> {
  const expiredBefore = new Date(now.getTime() - RETENTION_MS)
  let removed = 0
  for (let count = BATCH; count === BATCH; removed += count) {
    signal.throwIfAborted()
    count = await deleteSessions(db, expiredBefore, BATCH)
  }
  await deleteRevocations(db, new Date(expiredBefore.getTime() - TOKEN_SECONDS * 1000))
  return removed
}
