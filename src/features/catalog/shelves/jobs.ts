import { defineJob } from '../../../jobs/define.ts'

/** Refills the shelves. */
export const fillShelves = defineJob('shelves.refresh', { cron: '* * * * *', maxAttempts: 1 })
