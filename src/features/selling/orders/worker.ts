import { handleJob } from '../../../jobs/handler.ts'
import { reconcileOrders, syncOrders, syncPayment } from './jobs.ts'
import { askAboutOpen, syncPaymentOf } from './reconcile.ts'
import { syncOrder } from './sync.ts'

export const orderHandlers = [
  handleJob(syncOrders, async (deps, { orderUid, sessionId }) => {
    await syncOrder(deps, orderUid, sessionId)
  }),
  handleJob(syncPayment, async (deps, { paymentId }) => {
    await syncPaymentOf(deps, paymentId)
  }),
  handleJob(reconcileOrders, async (deps, _, { signal }) => {
    await askAboutOpen(deps, signal)
  }),
]
