import { defineJob } from '../../jobs/define.ts'

/** Updates the search documents of changed listings. Also runs every minute, as a fallback. */
export const indexListings = defineJob('search.index', { queue: 'search', cron: '* * * * *', maxAttempts: 3 })
