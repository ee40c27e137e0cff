import { defineJob } from '../../../jobs/define.ts'

/** Asks Stripe how an order stands. `sessionId`: of an event that is faster than the answer to our own call. */
export const syncOrders = defineJob<{ orderUid: string; sessionId?: string }>('selling.order', {
  lane: 'payments',
})

/** The same for a payment whose order is not known yet. */
export const syncPayment = defineJob<{ paymentId: string }>('selling.payment', { lane: 'payments' })

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
