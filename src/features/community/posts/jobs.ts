import { defineJob } from '../../../jobs/define.ts'

/** Publishes scheduled posts at their time. Also runs every minute, for those over the limit of the day. */
export const publishScheduled = defineJob(
  'posts.publish',
  { queue: 'posts.publish', cron: '* * * * *', maxAttempts: 3 },
  async (deps, _, { signal }) => {
    const { publishDue } = await import('./publish.ts')
    await publishDue(deps, signal)
  },
)
