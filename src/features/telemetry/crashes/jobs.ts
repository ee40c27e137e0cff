import { defineJob } from '../../../jobs/define.ts'

/** Reads the stacks that symbols were uploaded for. */
export const symbolicateCrashes = defineJob('crashes.symbolicate', { cron: '* * * * *', maxAttempts: 1 })

/** Deletes reports that nobody needs any more, and kinds of crashes that are long over. */
export const sweepCrashes = defineJob('crashes.sweep', { cron: '33 * * * *', maxAttempts: 3 })
