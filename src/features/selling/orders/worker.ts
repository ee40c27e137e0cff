import { handleJob } from '../../../jobs/handler.ts'
import { closeHeldOrder, reconcileOrders, syncOrders, syncPayment } from './jobs.ts'
import { closeOrderNamed } from './open-orders.ts'
import { askAboutOpen, syncPaymentOf } from './reconcile.ts'
import { syncOrder } from './sync.ts'

export const orderHandlers = [
  handleJob(syncOrders, async (deps, { orderUid, sessionId }) => {
    await syncOrder(deps, orderUid, sessionId)
  }),
  handleJob(syncPayment, async (deps, { paymentId }) => {
    await syncPaymentOf(deps, paymentId)
  }),
  handleJob(closeHeldOrder, async (deps, { orderUid }) => {
    await closeOrderNamed(deps, orderUid)
  }),
  handleJob(reconcileOrders, async (deps, _, { signal }) => {
    await askAboutOpen(deps, signal)
  }),
]
