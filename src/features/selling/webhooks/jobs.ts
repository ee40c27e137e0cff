import { defineJob } from '../../../jobs/define.ts'

/** Forgets the events that Stripe no longer repeats. */
export const sweepEvents = defineJob('selling.events', { cron: '37 4 * * *', maxAttempts: 3 })

/** Takes in the events that were never delivered. */
export const takeInMissedEvents = defineJob('selling.missed', {
  cron: '*/5 * * * *',
  maxAttempts: 1,
  lane: 'payments',
})
