import { handleJob } from '../../../jobs/handler.ts'
import { sweepPlayTickets } from './jobs.ts'
import { deleteTickets } from './queries.ts'

/** Much longer than a ticket is valid. */
const RETENTION_MS = 60 * 60 * 1000

export const playHandlers = [
  handleJob(sweepPlayTickets, (deps) => deleteTickets(deps.db, new Date(Date.now() - RETENTION_MS))),
]
