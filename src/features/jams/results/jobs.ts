import { defineJob } from '../../../jobs/define.ts'

/** Computes the results of jams whose voting has ended. */
export const computeJams = defineJob(
  'jams.results',
  { queue: 'jams.results', cron: '* * * * *', maxAttempts: 3, lane: 'long' },
  async (deps, _, { signal }) => {
    const { computeDue } = await import('./compute.ts')
    await computeDue(deps, signal)
  },
)
