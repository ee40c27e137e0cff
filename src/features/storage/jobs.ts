import { defineJob } from '../../jobs/define.ts'

/** Enqueued by the transaction that removes the last row naming the objects; may be repeated. */
export const deleteObjects = defineJob<{ keys: string[] }>('storage.delete')

/** Frees what no row names any more: expired sessions, forgotten uploads, orphaned objects. */
export const reclaimStorage = defineJob('storage.reclaim', {
  cron: '17 * * * *',
  maxAttempts: 3,
  isLong: true,
})
