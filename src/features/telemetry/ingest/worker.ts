import { handleJob } from '../../../jobs/handler.ts'
import { turnPartitions } from './jobs.ts'
import { dropOldPartitions, preparePartitions } from './partitions.ts'

export const ingestHandlers = [
  handleJob(turnPartitions, async (deps, _, { log }) => {
    const now = Date.now()
    await preparePartitions(deps.db, now)
    const days = await dropOldPartitions(deps.db, now)
    if (days.length > 0) log.info('Forgot old events', { days })
  }),
]
