import { handleJob } from '../../jobs/handler.ts'
import { sweepCredentials } from './jobs.ts'
import { deleteExpiredCredentials } from './queries.ts'

export const accountHandlers = [
  handleJob(sweepCredentials, async (deps) => {
    await deleteExpiredCredentials(deps.db, new Date())
  }),
]
