import { defineJob } from '../../../jobs/define.ts'

/** Follows the pages that were public before the listing check through their grace period. */
export const followGrace = defineJob('listings.grace', { cron: '23 5 * * *', maxAttempts: 5 })
