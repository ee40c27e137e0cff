import { deleteEndedCounts } from '../../db/rate-counts.ts'
import { handleJob } from '../../jobs/handler.ts'
import { DAY_MS } from '../../lib/utc-days.ts'
import { sweepCredentials } from './jobs.ts'
import { deleteUnusedClients } from './oauth/oauth-queries.ts'
import { deleteExpiredCredentials } from './queries.ts'

const UNUSED_CLIENT_MS = 7 * DAY_MS

export const accountHandlers = [
  handleJob(sweepCredentials, async (deps) => {
    const now = Date.now()
    await deleteExpiredCredentials(deps.db, new Date(now))
    await deleteEndedCounts(deps.db, new Date(now))
    await deleteUnusedClients(deps.db, new Date(now - UNUSED_CLIENT_MS))
  }),
]
