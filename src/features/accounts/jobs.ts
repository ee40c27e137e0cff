import { defineJob } from '../../jobs/define.ts'
import { DAY_MS } from '../../lib/time.ts'

const UNUSED_CLIENT_MS = 7 * DAY_MS

/** Deletes expired sessions, codes and tokens, and registered programs that nobody authorized. */
export const sweepCredentials = defineJob(
  'accounts.sweep',
  { cron: '17 * * * *', maxAttempts: 3 },
  async (deps) => {
    const { deleteExpiredCredentials } = await import('./queries.ts')
    const { deleteEndedCounts } = await import('../../db/rate-counts.ts')
    const { deleteUnusedClients } = await import('./oauth/oauth-queries.ts')
    const now = Date.now()
    await deleteExpiredCredentials(deps.db, new Date(now))
    await deleteEndedCounts(deps.db, new Date(now))
    await deleteUnusedClients(deps.db, new Date(now - UNUSED_CLIENT_MS))
  },
)
