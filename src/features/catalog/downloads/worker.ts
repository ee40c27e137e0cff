import { handleJob } from '../../../jobs/handler.ts'
import { forgetOldEvents } from './analytics.ts'
import { sweepDownloads } from './jobs.ts'

export const downloadHandlers = [
  handleJob(sweepDownloads, async (deps, _, { signal, log }) => {
    const removed = await forgetOldEvents(deps, signal)
    if (removed > 0) log.info('Forgot old download attempts', { removed })
  }),
]
