import { defineJob } from '../../../jobs/define.ts'

/** Deletes download attempts that are too old to be counted. */
export const sweepDownloads = defineJob('downloads.sweep', { cron: '23 3 * * *', maxAttempts: 3 })
