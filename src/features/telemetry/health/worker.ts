import { handleJob } from '../../../jobs/handler.ts'
import { compactOldSessions } from './compact-sessions.ts'
import { compactSessions, rateBuild } from './jobs.ts'
import { updateRating } from './rate-build.ts'

export const healthHandlers = [
  handleJob(rateBuild, async (deps, { buildUid }) => await updateRating(deps, buildUid, new Date())),
  handleJob(compactSessions, async (deps, _, { signal, log }) => {
    const compacted = await compactOldSessions(deps, new Date(), signal)
    if (compacted > 0) log.info('Aggregated old sessions', { compacted })
  }),
]
