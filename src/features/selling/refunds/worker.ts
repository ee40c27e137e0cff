import { PaymentsFailure } from '../../../clients/stripe/payments.ts'
import { handleJob } from '../../../jobs/handler.ts'
import { refundUndelivered } from '../orders/jobs.ts'
import { makeRefund } from './jobs.ts'
import { keepPromise, refundWhole } from './service.ts'

export const refundHandlers = [
  handleJob(makeRefund, async (deps, { refundUid }, { log }) => {
    try {
      await keepPromise(deps, refundUid)
    } catch (error) {
      // It is marked as failed; asking again would not change the answer.
      if (!(error instanceof PaymentsFailure && error.kind === 'refused')) throw error
      log.warn('Stripe refused a refund', { refund: refundUid, error })
    }
  }),
  handleJob(refundUndelivered, async (deps, { orderUid }) => {
    await refundWhole(deps, orderUid)
  }),
]
