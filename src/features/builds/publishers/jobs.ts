import { defineJob } from '../../../jobs/define.ts'

/** Forgets keys that have long expired, and tokens that are too old to be accepted again. */
export const sweepPublisherKeys = defineJob('publishers.sweep', { cron: '47 * * * *', maxAttempts: 3 })
