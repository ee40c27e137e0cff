import { defineJob } from '../../jobs/define.ts'

/** Objects that rows refer to. */
export interface StoredObjects {
  keys: readonly string[]
  /** The store's ids of incomplete uploads. */
  uploads?: readonly string[]
}

/** Enqueued by the transaction that deletes the last row that refers to the objects. Idempotent. */
export const deleteObjects = defineJob<StoredObjects>('storage.delete', { lane: 'long' })

/** New keys for stored files. */
export interface ObjectMoves {
  moves: readonly { from: string; to: string }[]
}

/** Gives files new keys, so that signed links to the old ones end. Idempotent. */
export const moveObjects = defineJob<ObjectMoves>('storage.move', { lane: 'long' })

/** Removes what no row refers to: expired sessions, abandoned uploads, orphaned objects. */
export const reclaimStorage = defineJob('storage.reclaim', {
  cron: '17 * * * *',
  maxAttempts: 3,
  lane: 'long',
})
