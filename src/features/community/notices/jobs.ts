import { defineJob } from '../../../jobs/define.ts'

/** Deletes what is no longer told. */
export const sweepNotices = defineJob(
  'notices.sweep',
  { cron: '41 3 * * *', maxAttempts: 3, lane: 'long' },
  async ({ db }, _, { signal }) => {
    const { deleteOldNotices } = await import('./reads.ts')
    await deleteOldNotices(db, signal)
  },
)
