import { defineJob } from '../../../jobs/define.ts'

/** Deletes sessions whose tokens expired long ago. */
export const sweepSessions = defineJob(
  'extstore.sweep',
  { cron: '41 * * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { deleteOldSessions } = await import('./sessions.ts')
    const removed = await deleteOldSessions(deps, signal)
    if (removed > 0) log.info('Deleted old player sessions', { removed })
  },
)
