import { handleJob } from '../../../jobs/handler.ts'
import { sweepNonces } from './jobs.ts'
import { deleteNonces } from './queries.ts'

/** Far longer than a response is accepted, whatever the clock skew. */
const RETENTION_MS = 60 * 60 * 1000

export const extstoreAccountHandlers = [
  handleJob(sweepNonces, (deps) => deleteNonces(deps.db, new Date(Date.now() - RETENTION_MS))),
]
