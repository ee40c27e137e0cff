import { handleJob } from '../../../jobs/handler.ts'
import { syncPayouts } from './jobs.ts'
import { syncAccount } from './sync.ts'

export const payoutHandlers = [
  handleJob(syncPayouts, async (deps, { accountId }) => {
    await syncAccount(deps, accountId)
  }),
]
