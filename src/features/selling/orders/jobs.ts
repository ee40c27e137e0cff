import type { OrderSubject } from '../../../clients/stripe/payments.ts'
import { defineJob } from '../../../jobs/define.ts'

/** Asks Stripe how the orders stand that its events are about. */
export const settleOrders = defineJob<{ subjects: OrderSubject[] }>('selling.order', { lane: 'payments' })

/**
 * Moves what the developer has of an order: back while a bank decides, to them again when that is won. One at a time,
 * so that none works with an older decision than another. The balance may be too low for days.
 */
export const settleShare = defineJob<{ orderUid: string }>('selling.transfer', {
  queue: 'transfers',
  lane: 'payments',
  maxAttempts: 25,
})

/** Mails the buyer what was refunded of an order. */
export const tellRefunds = defineJob<{ orderUid: string }>('selling.refund_mail')

/** Asks about orders whose events never came. */
export const reconcileOrders = defineJob('selling.reconcile', {
  cron: '* * * * *',
  maxAttempts: 1,
  lane: 'payments',
})

/** Gives back what was paid after the sale had ended, or the listing or account was deleted. */
export const refundUndelivered = defineJob<{ orderUid: string }>('selling.undelivered', { lane: 'payments' })
