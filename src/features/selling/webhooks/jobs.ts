import { defineJob } from '../../../jobs/define.ts'

/** Forgets the events that Stripe no longer repeats. */
export const sweepEvents = defineJob('selling.events', { cron: '37 4 * * *', maxAttempts: 3 })
