import { defineJob } from '../../jobs/define.ts'

/** Deletes expired sessions, codes and tokens, and registered programs that nobody authorized. */
export const sweepCredentials = defineJob('accounts.sweep', { cron: '17 * * * *', maxAttempts: 3 })
