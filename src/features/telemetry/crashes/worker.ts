import { handleJob } from '../../../jobs/handler.ts'
import { sweepCrashes, symbolicateCrashes } from './jobs.ts'
import { sweepOldCrashes } from './sweep.ts'
import { symbolicateGroups } from './symbolicate.ts'

export const crashHandlers = [
  handleJob(symbolicateCrashes, async (deps, _, { signal }) => {
    await symbolicateGroups(deps, new Date(), signal)
  }),
  handleJob(sweepCrashes, async (deps, _, { signal, log }) => {
    const { reports, groups } = await sweepOldCrashes(deps, new Date(), signal)
    if (reports + groups > 0) log.info('Deleted old crashes', { reports, groups })
  }),
]
