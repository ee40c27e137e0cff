import { handleJob } from '../../../jobs/handler.ts'
import { findUnsymbolicated, sweepCrashes, symbolicateGame } from './jobs.ts'
import { sweepOldCrashes } from './sweep.ts'
import { queueSymbolication, symbolicateGroups } from './symbolicate.ts'

export const crashHandlers = [
  handleJob(findUnsymbolicated, async ({ db }) => {
    await queueSymbolication(db)
  }),
  handleJob(symbolicateGame, async (deps, { gameUid }, { signal }) => {
    await symbolicateGroups(deps, gameUid, new Date(), signal)
  }),
  handleJob(sweepCrashes, async (deps, _, { signal, log }) => {
    const { reports, groups } = await sweepOldCrashes(deps, new Date(), signal)
    if (reports + groups > 0) log.info('Deleted old crashes', { reports, groups })
  }),
]
