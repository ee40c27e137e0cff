import { handleJob } from '../../../jobs/define.ts'
import { announceWaiting } from '../../listings/page/jobs.ts'

/** Handlers of jobs that a lower layer declares, because it enqueues them. */
export const publicationHandlers = [
  handleJob(announceWaiting, async (deps) => {
    const { announcePublications } = await import('./service.ts')
    await announcePublications(deps)
  }),
]
