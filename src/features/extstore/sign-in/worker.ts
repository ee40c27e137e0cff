import { handleJob } from '../../../jobs/handler.ts'
import { sweepSessions } from './jobs.ts'
import { forgetSessions } from './retention.ts'

export const signInHandlers = [
  handleJob(sweepSessions, async (deps, _, { signal, log }) => {
    const removed = await forgetSessions(deps, signal)
    if (removed > 0) log.info('Forgot sessions of players', { removed })
  }),
]
