import { defineJob } from '../../../jobs/define.ts'

/** Deletes used tickets that have expired. */
export const sweepPlayTickets = defineJob('play.sweep_tickets', { cron: '41 * * * *', maxAttempts: 3 })
