import { defineJob } from '../../jobs/define.ts'

/** Far longer than a response is accepted, whatever the clock skew. */
const RETENTION_MS = 60 * 60 * 1000

/** Deletes used sign-in responses of the store that are too old to be accepted anyway. */
export const sweepNonces = defineJob(
  'extstore.sweep_nonces',
  { cron: '29 * * * *', maxAttempts: 3 },
  async (deps) => {
    const { deleteNonces } = await import('./account/queries.ts')
    await deleteNonces(deps.db, new Date(Date.now() - RETENTION_MS))
  },
)

/** Deletes sessions whose tokens expired long ago. */
export const sweepSessions = defineJob(
  'extstore.sweep',
  { cron: '41 * * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { deleteOldSessions } = await import('./sign-in/sessions.ts')
    const removed = await deleteOldSessions(deps, signal)
    if (removed > 0) log.info('Deleted old player sessions', { removed })
  },
)
