import { defineJob } from '../../../jobs/define.ts'

/** Rates one build anew from all that was heard of it. */
export const judgeBuild = defineJob<{ buildUid: string }>('health.judge', { maxAttempts: 5 })

/** Counts the sessions that are over, so that they need not be kept one by one. */
export const foldSessions = defineJob('health.fold', { cron: '41 3 * * *', maxAttempts: 3 })
