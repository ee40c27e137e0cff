import { handleJob } from '../../../jobs/handler.ts'
import { closeHeldOrder, reconcileOrders, settleOrders } from './jobs.ts'
import { closeOrderNamed } from './open-orders.ts'
import { askAboutOpen } from './reconcile.ts'
import { settleSubjects } from './subjects.ts'

export const orderHandlers = [
  handleJob(settleOrders, async (deps, { subjects }, { signal }) => {
    await settleSubjects(deps, subjects, signal)
  }),
  handleJob(closeHeldOrder, async (deps, { orderUid }) => {
    await closeOrderNamed(deps, orderUid)
  }),
  handleJob(reconcileOrders, async (deps, _, { signal }) => {
    await askAboutOpen(deps, signal)
  }),
]
