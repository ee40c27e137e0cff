import { defineJob } from '../../../jobs/define.ts'

/** Thins histories, empties bins and deletes the bytes that nothing has any more. */
export const thinSaves = defineJob(
  'saves.thin',
  { cron: '27 * * * *', maxAttempts: 3, lane: 'long' },
  async (deps, _, { signal }) => {
    const { thinDueSaves } = await import('./service.ts')
    await thinDueSaves(deps, signal)
  },
)
