import { defineJob } from '../../jobs/define.ts'

/** Updates the search documents of changed listings. Also runs every minute, as a fallback. */
export const indexListings = defineJob('search.index', { queue: 'search', cron: '* * * * *', maxAttempts: 3 })

/** Mails those who want to hear of an event at once. Handled in `community`. */
export const mailAtOnce = defineJob<{ eventUid: string; afterUser?: string }>('notices.mail', {
  maxAttempts: 10,
})

/** Closes the page at Stripe where an open order is paid. Handled in `selling`. */
export const endCheckout = defineJob<{ orderUid: string }>('selling.close', { lane: 'payments' })
