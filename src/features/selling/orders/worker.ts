import { handleJob } from '../../../jobs/handler.ts'
import { endCheckout } from '../../games/jobs.ts'
import { reconcileOrders, settleOrders, settleShare, tellRefunds } from './jobs.ts'
import { announceRefunds } from './notices.ts'
import { closeOrderNamed } from './open-orders.ts'
import { askAboutOpen } from './reconcile.ts'
import { payShare } from './share.ts'
import { settleSubjects } from './subjects.ts'

export const orderHandlers = [
  handleJob(settleOrders, async (deps, { subjects }, { signal }) => {
    await settleSubjects(deps, subjects, signal)
  }),
  handleJob(endCheckout, async (deps, { orderUid }) => {
    await closeOrderNamed(deps, orderUid)
  }),
  handleJob(settleShare, async (deps, { orderUid }) => {
    await payShare(deps, orderUid)
  }),
  handleJob(tellRefunds, async (deps, { orderUid }) => {
    await announceRefunds(deps, orderUid)
  }),
  handleJob(reconcileOrders, async (deps, _, { signal }) => {
    await askAboutOpen(deps, signal)
  }),
]
