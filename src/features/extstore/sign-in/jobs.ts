import { defineJob } from '../../../jobs/define.ts'

/** Deletes the records of sessions whose tokens expired long ago. */
export const sweepSessions = defineJob('extstore.sweep', { cron: '41 * * * *', maxAttempts: 3 })
