import { defineJob } from '../../jobs/define.ts'

/** Deletes what is no longer told. */
export const sweepNotices = defineJob(
  'notices.sweep',
  { cron: '41 3 * * *', maxAttempts: 3, lane: 'long' },
  async ({ db }, _, { signal }) => {
    const { deleteOldNotices } = await import('./notices/reads.ts')
    await deleteOldNotices(db, signal)
  },
)

/** Publishes scheduled posts at their time. Also runs every minute, for those over the limit of the day. */
export const publishScheduled = defineJob(
  'posts.publish',
  { queue: 'posts.publish', cron: '* * * * *', maxAttempts: 3 },
  async (deps, _, { signal }) => {
    const { publishDue } = await import('./posts/publish.ts')
    await publishDue(deps, signal)
  },
)
