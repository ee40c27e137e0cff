import { defineJob } from '../../../jobs/define.ts'

/** Deletes download attempts past their retention. */
export const sweepDownloads = defineJob('downloads.sweep', { cron: '23 3 * * *', maxAttempts: 3 })
