import { defineJob } from '../../../jobs/define.ts'
import { DAY_MS } from '../../../lib/time.ts'

const DAYS = 30
const BATCH = 5000

/** Deletes events that are too old to be delivered again. */
export const sweepEvents = defineJob(
  'selling.events',
  { cron: '37 4 * * *', maxAttempts: 3 },
  async ({ db }, _, { signal }) => {
    const { deleteEvents } = await import('./queries.ts')
    const before = new Date(Date.now() - DAYS * DAY_MS)
    do signal.throwIfAborted()
    while ((await deleteEvents(db, before, BATCH)) === BATCH)
  },
)

/** Fetches events that Stripe could not deliver. */
export const fetchMissed = defineJob(
  'selling.missed',
  { cron: '*/5 * * * *', maxAttempts: 1, lane: 'payments' },
  async (deps, _, { signal }) => {
    const { fetchMissedEvents } = await import('./service.ts')
    await fetchMissedEvents(deps, signal)
  },
)
