import { defineJob } from '../../../jobs/define.ts'

/** Fills the shelves anew. */
export const fillShelves = defineJob('shelves.refresh', { cron: '* * * * *', maxAttempts: 1 })
