import { defineJob } from '../../../jobs/define.ts'

/** Tells those who joined that a jam starts, is about to end, or has results. */
export const announceJams = defineJob(
  'jams.announce',
  { queue: 'jams.announce', cron: '* * * * *', maxAttempts: 3 },
  async (deps, _, { signal }) => {
    const { announceDue } = await import('./announce.ts')
    await announceDue(deps, signal)
  },
)
