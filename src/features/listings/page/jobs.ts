import { defineJob } from '../../../jobs/define.ts'

/** Enforces the grace period of pages that were public before the listing check existed. */
export const enforceGrace = defineJob(
  'listings.grace',
  { cron: '23 5 * * *', maxAttempts: 5 },
  async (deps, _, { signal }) => {
    const { enforceGracePeriod } = await import('./visibility.ts')
    await enforceGracePeriod(deps, new Date(), signal)
  },
)

/** Tells operators of publications that wait for them. */
export const announceWaiting = defineJob('publications.announce', { maxAttempts: 10 })
