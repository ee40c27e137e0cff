import { handleJob } from '../../../jobs/handler.ts'
import { tryDelivery } from './deliver.ts'
import { deliverWebhook, sweepDeliveries } from './jobs.ts'
import { deleteOldDeliveries } from './queries.ts'

const DAYS = 30
const BATCH = 1000

export const webhookHandlers = [
  handleJob(deliverWebhook, async (deps, { deliveryUid }) => {
    await tryDelivery(deps, deliveryUid)
  }),
  handleJob(sweepDeliveries, async ({ db }, _, { signal }) => {
    const before = new Date(Date.now() - DAYS * 24 * 60 * 60 * 1000)
    do signal.throwIfAborted()
    while ((await deleteOldDeliveries(db, before, BATCH)) === BATCH)
  }),
]
