import { defineJob } from '../../../jobs/define.ts'

/** One turn of an owner: sends what is due, and queues the next turn behind those of other owners. */
export const deliverWebhooks = defineJob<{ ownerUid: string }>('bugs.deliver', { lane: 'outside' })

/** Deletes old deliveries, and queues the turns of owners whose job was lost. */
export const sweepDeliveries = defineJob('bugs.sweep', { cron: '41 * * * *', maxAttempts: 3 })
