import { defineJob } from '../../../jobs/define.ts'

/** Deletes download attempts past their retention. */
export const sweepDownloads = defineJob(
  'downloads.sweep',
  { cron: '23 3 * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { deleteOldEvents } = await import('./analytics.ts')
    const removed = await deleteOldEvents(deps, signal)
    if (removed > 0) log.info('Deleted old download attempts', { removed })
  },
)
