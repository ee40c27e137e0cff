import type { OrderSubject } from '../../../clients/stripe/payments.ts'
import { defineJob } from '../../../jobs/define.ts'

/** Asks Stripe how the orders stand that its events are about. */
export const settleOrders = defineJob<{ subjects: OrderSubject[] }>('selling.order', { lane: 'payments' })

/** Asks about orders whose events never came. */
export const reconcileOrders = defineJob('selling.reconcile', {
  cron: '* * * * *',
  maxAttempts: 1,
  lane: 'payments',
})

/** Gives back what was paid for a listing or by an account that no longer exists. */
export const refundUndelivered = defineJob<{ orderUid: string }>('selling.undelivered', { lane: 'payments' })

/** Ends an open order at Stripe, because its buyer got it otherwise. */
export const closeHeldOrder = defineJob<{ orderUid: string }>('selling.close', { lane: 'payments' })
