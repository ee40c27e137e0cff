import { handleJob } from '../../../jobs/handler.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { deliverDue } from './deliver.ts'
import { deliverWebhooks, sweepDeliveries } from './jobs.ts'
import { deleteOldDeliveries } from './queries.ts'
import { queueOverdueTurns } from './turns.ts'

const DAYS = 30
const BATCH = 1000

export const webhookHandlers = [
  handleJob(deliverWebhooks, async (deps, { ownerUid }) => {
    await deliverDue(deps, ownerUid)
  }),
  handleJob(sweepDeliveries, async ({ db }, _, { signal }) => {
    const before = new Date(Date.now() - DAYS * DAY_MS)
    do signal.throwIfAborted()
    while ((await deleteOldDeliveries(db, before, BATCH)) === BATCH)
    await queueOverdueTurns(db)
  }),
]
