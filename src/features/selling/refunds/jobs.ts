import { defineJob } from '../../../jobs/define.ts'

/** Makes a refund that was promised, if the request that promised it did not. */
export const makeRefund = defineJob<{ refundUid: string }>('selling.refund', { lane: 'payments' })
