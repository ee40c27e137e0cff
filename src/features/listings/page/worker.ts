import { handleJob } from '../../../jobs/handler.ts'
import { enforceGracePeriod } from './grace-period.ts'
import { enforceGrace } from './jobs.ts'

export const listingHandlers = [
  handleJob(enforceGrace, async (deps, _, { signal }) => await enforceGracePeriod(deps, new Date(), signal)),
]
