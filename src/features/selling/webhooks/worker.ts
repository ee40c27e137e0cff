import { handleJob } from '../../../jobs/handler.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { sweepEvents, takeInMissedEvents } from './jobs.ts'
import { takeInMissed } from './missed.ts'
import { deleteEvents } from './queries.ts'

const DAYS = 30
const BATCH = 5000

export const stripeEventHandlers = [
  handleJob(sweepEvents, async ({ db }, _, { signal }) => {
    const before = new Date(Date.now() - DAYS * DAY_MS)
    do signal.throwIfAborted()
    while ((await deleteEvents(db, before, BATCH)) === BATCH)
  }),
  handleJob(takeInMissedEvents, async (deps, _, { signal }) => {
    await takeInMissed(deps, signal)
  }),
]
