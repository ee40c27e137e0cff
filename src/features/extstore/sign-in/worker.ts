import { handleJob } from '../../../jobs/handler.ts'
import { sweepSessions } from './jobs.ts'
import { deleteOldSessions } from './retention.ts'

export const signInHandlers = [
  handleJob(sweepSessions, async (deps, _, { signal, log }) => {
    const removed = await deleteOldSessions(deps, signal)
    if (removed > 0) log.info('Deleted old player sessions', { removed })
  }),
]
