import { handleJob } from '../../jobs/handler.ts'
import { sweepImages } from './jobs.ts'
import { sweepObjects } from './sweep.ts'

/** An upload writes its picture before its row; a day is longer than any upload. */
const KEEP_MS = 24 * 60 * 60 * 1000

export const imageHandlers = [
  handleJob(sweepImages, async (deps, _, { signal, log }) => {
    const removed = await sweepObjects(deps, new Date(Date.now() - KEEP_MS), signal)
    if (removed > 0) log.info('Removed pictures that no page shows', { removed })
  }),
]
