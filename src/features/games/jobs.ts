import { defineJob } from '../../jobs/define.ts'

/** Updates the search documents of changed listings. Also runs every minute, as a fallback. */
export const indexListings = defineJob('search.index', { queue: 'search', cron: '* * * * *', maxAttempts: 3 })

/** Ends the page at Stripe where an open order is paid. Handled by the area that sells. */
export const endCheckout = defineJob<{ orderUid: string }>('selling.close', { lane: 'payments' })
