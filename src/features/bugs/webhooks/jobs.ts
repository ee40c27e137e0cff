import { deleteInBatches } from '../../../db/client.ts'
import { defineJob } from '../../../jobs/define.ts'
import { DAY_MS } from '../../../lib/time.ts'

const DAYS = 30
const BATCH = 1000
const OVERDUE_MS = 10 * 60 * 1000

/** A receiver of one owner's games. It gets one delivery at a time, oldest first. */
export interface Address {
  ownerUid: string
  url: string
}

/** Sends the oldest delivery that is due, and queues the job of the next one. */
export const deliverWebhook = defineJob<Partial<Address> & Pick<Address, 'ownerUid'>>(
  'bugs.deliver',
  { lane: 'outside', ownerOf: ({ ownerUid }) => ownerUid },
  async (deps, { ownerUid, url }) => {
    const { deliverNext } = await import('./deliver.ts')
    const { queueWaiting } = await import('./service.ts')
    // An older version queued one job per owner, for deliveries to all addresses.
    if (url === undefined) await queueWaiting(deps.db)
    else await deliverNext(deps, { ownerUid, url })
  },
)

/** Deletes old deliveries, and queues the jobs of addresses whose job was lost. */
export const sweepDeliveries = defineJob(
  'bugs.sweep',
  { cron: '41 * * * *', maxAttempts: 3 },
  async ({ db }, _, { signal }) => {
    const { deleteOldDeliveries } = await import('./queries.ts')
    const { queueWaiting } = await import('./service.ts')
    const before = new Date(Date.now() - DAYS * DAY_MS)
    await deleteInBatches(BATCH, (limit) => deleteOldDeliveries(db, before, limit), signal)
    await queueWaiting(db, new Date(Date.now() - OVERDUE_MS))
  },
)
