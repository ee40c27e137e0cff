import { defineJob } from '../../../jobs/define.ts'

/** Much longer than a ticket is valid. */
const RETENTION_MS = 60 * 60 * 1000

/** Deletes used tickets that have expired. */
export const sweepPlayTickets = defineJob(
  'play.sweep_tickets',
  { cron: '41 * * * *', maxAttempts: 3 },
  async (deps) => {
    const { deleteTickets } = await import('./queries.ts')
    await deleteTickets(deps.db, new Date(Date.now() - RETENTION_MS))
  },
)
