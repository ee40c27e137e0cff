import { defineJob } from '../../../jobs/define.ts'

/** Creates the event partitions of the next days, drops expired ones and the counts of past days. */
export const rotatePartitions = defineJob(
  'ingest.partitions',
  { cron: '7 * * * *', maxAttempts: 3 },
  async (deps, _, { log }) => {
    const { preparePartitions, dropOldPartitions } = await import('./writer.ts')
    const { forgetPastDays } = await import('../quota/service.ts')
    const now = Date.now()
    await preparePartitions(deps.db, now)
    await forgetPastDays(deps.db, now)
    const days = await dropOldPartitions(deps.db, now)
    if (days.length > 0) log.info('Deleted old events', { days })
  },
)
