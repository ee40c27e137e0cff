import { defineJob } from '../../jobs/define.ts'

/** Deletes sessions, codes and tokens that expired, and programs that were registered for nothing. */
export const sweepCredentials = defineJob('accounts.sweep', { cron: '17 * * * *', maxAttempts: 3 })
