import { defineJob } from '../../../jobs/define.ts'

/** Tries a delivery once. Whether and when it is tried again is decided with the outcome. */
export const deliverWebhook = defineJob<{ deliveryUid: string }>('bugs.deliver', { lane: 'outside' })

/** Deletes old deliveries. */
export const sweepDeliveries = defineJob('bugs.sweep', { cron: '41 * * * *', maxAttempts: 3 })
