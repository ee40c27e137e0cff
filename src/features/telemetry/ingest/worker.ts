import { handleJob } from '../../../jobs/handler.ts'
import { forgetPastDays } from '../quota/service.ts'
import { rotatePartitions } from './jobs.ts'
import { dropOldPartitions, preparePartitions } from './partitions.ts'

export const ingestHandlers = [
  handleJob(rotatePartitions, async (deps, _, { log }) => {
    const now = Date.now()
    await preparePartitions(deps.db, now)
    await forgetPastDays(deps.db, now)
    const days = await dropOldPartitions(deps.db, now)
    if (days.length > 0) log.info('Deleted old events', { days })
  }),
]
