import { defineJob } from '../../jobs/define.ts'

/** Brings the documents of changed listings up to date. Once a minute too, so that nothing is left behind for long. */
export const indexListings = defineJob('search.index', { queue: 'search', cron: '* * * * *', maxAttempts: 3 })
