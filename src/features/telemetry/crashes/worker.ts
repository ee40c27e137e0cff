import { handleJob } from '../../../jobs/handler.ts'
import { sweepCrashes, symbolicateCrashes } from './jobs.ts'
import { forgetOldCrashes } from './sweep.ts'
import { symbolicateGroups } from './symbolicate.ts'

export const crashHandlers = [
  handleJob(symbolicateCrashes, async (deps, _, { signal }) => {
    await symbolicateGroups(deps, new Date(), signal)
  }),
  handleJob(sweepCrashes, async (deps, _, { signal, log }) => {
    const { reports, groups } = await forgetOldCrashes(deps, new Date(), signal)
    if (reports + groups > 0) log.info('Forgot old crashes', { reports, groups })
  }),
]
