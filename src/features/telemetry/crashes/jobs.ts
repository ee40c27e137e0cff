import { defineJob } from '../../../jobs/define.ts'

/** Symbolicates stacks for which symbols were uploaded. */
export const symbolicateCrashes = defineJob('crashes.symbolicate', { cron: '* * * * *', maxAttempts: 1 })

/** Deletes old reports, and kinds of crashes that have not been seen for long. */
export const sweepCrashes = defineJob('crashes.sweep', { cron: '33 * * * *', maxAttempts: 3 })
