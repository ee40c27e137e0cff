import { defineJob } from '../../../jobs/define.ts'

/** Asks Stripe how the account of a developer stands. */
export const syncPayouts = defineJob<{ accountId: string }>('selling.account', { lane: 'payments' })
