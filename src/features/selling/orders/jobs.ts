import type { OrderSubject } from '../../../clients/stripe/payments.ts'
import { defineJob, handleJob } from '../../../jobs/define.ts'
import { endCheckout } from '../../games/jobs.ts'

/** Asks Stripe for the state of orders that events were about. */
export const settleOrders = defineJob<{ subjects: OrderSubject[] }>(
  'selling.order',
  { lane: 'payments' },
  async (deps, { subjects }, { signal }) => {
    const { settleAll } = await import('./settle.ts')
    await settleAll(deps, subjects, signal)
  },
)

/**
 * Takes the seller's share back while a dispute is open, and returns it if the dispute is won. One job at a
 * time, so that none acts on an outdated state. Many attempts, because the balance may be too low for days.
 */
export const settleSellerShare = defineJob<{ orderUid: string }>(
  'selling.transfer',
  { queue: 'transfers', lane: 'payments', maxAttempts: 25 },
  async (deps, { orderUid }) => {
    const { transferSellerShare } = await import('./settle.ts')
    await transferSellerShare(deps, orderUid)
  },
)

/** Mails the buyer what was refunded of an order. */
export const sendRefundMail = defineJob<{ orderUid: string }>(
  'selling.refund_mail',
  {},
  async (deps, { orderUid }) => {
    const { mailRefunds } = await import('./settle.ts')
    await mailRefunds(deps, orderUid)
  },
)

/** Asks Stripe about open orders, in case their events were lost. */
export const reconcileOrders = defineJob(
  'selling.reconcile',
  { cron: '* * * * *', maxAttempts: 1, lane: 'payments' },
  async (deps, _, { signal }) => {
    const { pollOpenOrders } = await import('./settle.ts')
    await pollOpenOrders(deps, signal)
  },
)

/** Executes a pending refund, if the request that created it did not. */
export const makeRefund = defineJob<{ refundUid: string }>(
  'selling.refund',
  { lane: 'payments' },
  async (deps, { refundUid }, { log }) => {
    const { executeRefund } = await import('./refunds.ts')
    const { PaymentsFailure } = await import('../../../clients/stripe/payments.ts')
    try {
      await executeRefund(deps, refundUid)
    } catch (error) {
      // The refund is marked as failed already; a retry would be refused again.
      if (!(error instanceof PaymentsFailure && error.kind === 'refused')) throw error
      log.warn('Stripe refused a refund', { refund: refundUid, error })
    }
  },
)

/** Refunds what was paid after the sale had ended, or the listing or account was deleted. */
export const refundUndelivered = defineJob<{ orderUid: string }>(
  'selling.undelivered',
  { lane: 'payments' },
  async (deps, { orderUid }) => {
    const { refundUndeliveredOrder } = await import('./refunds.ts')
    await refundUndeliveredOrder(deps, orderUid)
  },
)

/** Handlers of jobs that a lower layer declares, because it enqueues them. */
export const orderHandlers = [
  handleJob(endCheckout, async (deps, { orderUid }) => {
    const { closeOrderByUid } = await import('./service.ts')
    await closeOrderByUid(deps, orderUid)
  }),
]
