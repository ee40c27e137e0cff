import { handleJob } from '../../../jobs/handler.ts'
import { sweepNonces } from './jobs.ts'
import { deleteNonces } from './queries.ts'

/** Far longer than an answer is taken for fresh, whatever the clocks say. */
const KEPT_MS = 60 * 60 * 1000

export const extstoreAccountHandlers = [
  handleJob(sweepNonces, (deps) => deleteNonces(deps.db, new Date(Date.now() - KEPT_MS))),
]
