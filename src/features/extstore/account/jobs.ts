import { defineJob } from '../../../jobs/define.ts'

/** Forgets used answers of the store's sign-in that are too old to be taken anyway. */
export const sweepNonces = defineJob('extstore.sweep_nonces', { cron: '29 * * * *', maxAttempts: 3 })
