import { handleJob } from '../../../jobs/handler.ts'
import { deleteOldEvents } from './analytics.ts'
import { sweepDownloads } from './jobs.ts'

export const downloadHandlers = [
  handleJob(sweepDownloads, async (deps, _, { signal, log }) => {
    const removed = await deleteOldEvents(deps, signal)
    if (removed > 0) log.info('Deleted old download attempts', { removed })
  }),
]
