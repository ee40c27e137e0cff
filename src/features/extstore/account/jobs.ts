import { defineJob } from '../../../jobs/define.ts'

/** Deletes used sign-in responses of the store that are too old to be accepted anyway. */
export const sweepNonces = defineJob('extstore.sweep_nonces', { cron: '29 * * * *', maxAttempts: 3 })
