import { defineJob } from '../../../jobs/define.ts'

/** Deletes sessions whose tokens expired long ago. */
export const sweepSessions = defineJob('extstore.sweep', { cron: '41 * * * *', maxAttempts: 3 })
