import { defineJob } from '../../../jobs/define.ts'

/** Fixes the versions of jams at their end. Runs at that moment, and every minute for what that missed. */
export const pinVersions = defineJob(
  'jams.pin',
  { queue: 'jams.pin', cron: '* * * * *', maxAttempts: 3 },
  async (deps, _, { signal }) => {
    const { pinDue } = await import('./pins.ts')
    await pinDue(deps, signal)
  },
)
