import { defineJob } from '../../jobs/define.ts'

/** What rows name in the object store. */
export interface StoredObjects {
  keys: readonly string[]
  /** The store's ids of uploads that are not complete. */
  uploads?: readonly string[]
}

/** Enqueued by the transaction that removes the last row naming the objects; may be repeated. */
export const deleteObjects = defineJob<StoredObjects>('storage.delete')

/** Frees what no row names any more: expired sessions, forgotten uploads, orphaned objects. */
export const reclaimStorage = defineJob('storage.reclaim', {
  cron: '17 * * * *',
  maxAttempts: 3,
  isLong: true,
})
