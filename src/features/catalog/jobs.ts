import { defineJob } from '../../jobs/define.ts'

/** Deletes download attempts past their retention. */
export const sweepDownloads = defineJob(
  'downloads.sweep',
  { cron: '23 3 * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { deleteOldEvents } = await import('./downloads/analytics.ts')
    const removed = await deleteOldEvents(deps, signal)
    if (removed > 0) log.info('Deleted old download attempts', { removed })
  },
)

/** Refills the shelves. */
export const fillShelves = defineJob(
  'shelves.refresh',
  { cron: '* * * * *', maxAttempts: 1 },
  async (deps) => {
    const { refreshShelves } = await import('./shelves/service.ts')
    await refreshShelves(deps, new Date())
  },
)
