import { handleJob } from '../../../jobs/handler.ts'
import { foldOldSessions } from './fold.ts'
import { foldSessions, judgeBuild } from './jobs.ts'
import { judge } from './judge.ts'

export const healthHandlers = [
  handleJob(judgeBuild, async (deps, { buildUid }) => await judge(deps, buildUid, new Date())),
  handleJob(foldSessions, async (deps, _, { signal, log }) => {
    const folded = await foldOldSessions(deps, new Date(), signal)
    if (folded > 0) log.info('Counted sessions that are over', { folded })
  }),
]
