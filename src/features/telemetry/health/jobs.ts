import { defineJob } from '../../../jobs/define.ts'

/** Recomputes the rating of one build from all its data. */
export const rateBuild = defineJob<{ buildUid: string }>(
  'health.judge',
  { maxAttempts: 5 },
  async (deps, { buildUid }) => {
    const { updateRating } = await import('./rate-build.ts')
    await updateRating(deps, buildUid, new Date())
  },
)

/** Aggregates sessions that have ended, so that their rows can be deleted. */
export const compactSessions = defineJob(
  'health.fold',
  { cron: '41 3 * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { compactOldSessions } = await import('./rate-build.ts')
    const compacted = await compactOldSessions(deps, new Date(), signal)
    if (compacted > 0) log.info('Aggregated old sessions', { compacted })
  },
)
