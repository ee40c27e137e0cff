import { defineJob } from '../../../jobs/define.ts'

/** Longer than an upload session, which an expired key may still finish. */
const KEPT_MS = 24 * 60 * 60 * 1000

/** Deletes keys that expired long ago, and records of used tokens that are too old to be accepted again. */
export const sweepPublisherKeys = defineJob(
  'publishers.sweep',
  { cron: '47 * * * *', maxAttempts: 3 },
  async ({ db }) => {
    const { deleteEndedTokens, deleteEndedKeys } = await import('./queries.ts')
    const now = Date.now()
    await deleteEndedTokens(db, new Date(now))
    await deleteEndedKeys(db, new Date(now - KEPT_MS))
  },
)
