import { defineJob } from '../../../jobs/define.ts'

/** Far longer than a response is accepted, whatever the clock skew. */
const RETENTION_MS = 60 * 60 * 1000

/** Deletes used sign-in responses of the store that are too old to be accepted anyway. */
export const sweepNonces = defineJob(
  'extstore.sweep_nonces',
  { cron: '29 * * * *', maxAttempts: 3 },
  async (deps) => {
    const { deleteNonces } = await import('./queries.ts')
    await deleteNonces(deps.db, new Date(Date.now() - RETENTION_MS))
  },
)
