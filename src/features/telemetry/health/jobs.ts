import { defineJob } from '../../../jobs/define.ts'

/** Recomputes the rating of one build from all its data. */
export const rateBuild = defineJob<{ buildUid: string }>('health.judge', { maxAttempts: 5 })

/** Aggregates sessions that have ended, so that their rows can be deleted. */
export const compactSessions = defineJob('health.fold', { cron: '41 3 * * *', maxAttempts: 3 })
