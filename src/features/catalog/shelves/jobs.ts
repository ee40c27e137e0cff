import { defineJob } from '../../../jobs/define.ts'

/** Refills the shelves. */
export const fillShelves = defineJob(
  'shelves.refresh',
  { cron: '* * * * *', maxAttempts: 1 },
  async (deps) => {
    const { refreshShelves } = await import('./service.ts')
    await refreshShelves(deps, new Date())
  },
)
