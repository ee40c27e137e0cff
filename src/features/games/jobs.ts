import { defineJob } from '../../jobs/define.ts'

/** Updates the search documents of changed listings. Also runs every minute, as a fallback. */
export const indexListings = defineJob('search.index', { queue: 'search', cron: '* * * * *', maxAttempts: 3 })

/** Closes the page at Stripe where an open order is paid. Handled in `selling`. */
export const endCheckout = defineJob<{ orderUid: string }>('selling.close', { lane: 'payments' })
