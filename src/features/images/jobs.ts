import { defineJob } from '../../jobs/define.ts'

/** Deletes pictures from the object store that no page shows any more. */
export const sweepImages = defineJob('images.sweep', { cron: '41 4 * * *', maxAttempts: 3 })
