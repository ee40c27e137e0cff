import { handleJob } from '../../../jobs/handler.ts'
import { endGrace } from './grace.ts'
import { followGrace } from './jobs.ts'

export const listingHandlers = [
  handleJob(followGrace, async (deps, _, { signal }) => await endGrace(deps, new Date(), signal)),
]
