import { defineJob } from '../../jobs/define.ts'

/** Fixes the versions of jams at their end. Runs at that moment, and every minute for what that missed. */
export const pinVersions = defineJob(
  'jams.pin',
  { queue: 'jams.pin', cron: '* * * * *', maxAttempts: 3 },
  async (deps, _, { signal }) => {
    const { pinDue } = await import('./entries/pins.ts')
    await pinDue(deps, signal)
  },
)

/** Tells those who joined that a jam starts, is about to end, or has results. */
export const announceJams = defineJob(
  'jams.announce',
  { queue: 'jams.announce', cron: '* * * * *', maxAttempts: 3 },
  async (deps, _, { signal }) => {
    const { announceDue } = await import('./notices/announce.ts')
    await announceDue(deps, signal)
  },
)

/** Computes the results of jams whose voting has ended. */
export const computeJams = defineJob(
  'jams.results',
  { queue: 'jams.results', cron: '* * * * *', maxAttempts: 3, lane: 'long' },
  async (deps, _, { signal }) => {
    const { computeDue } = await import('./results/compute.ts')
    await computeDue(deps, signal)
  },
)
