import { defineJob } from '../../jobs/define.ts'

/** Objects that rows refer to. */
export interface StoredObjects {
  keys: readonly string[]
  /** The store's ids of incomplete uploads. */
  uploads?: readonly string[]
}

/** Enqueued by the transaction that deletes the last row that refers to the objects. Idempotent. */
export const deleteObjects = defineJob<StoredObjects>(
  'storage.delete',
  { lane: 'long' },
  async (deps, objects, { signal }) => {
    const { removeObjects } = await import('./service.ts')
    await removeObjects(deps, objects, signal)
  },
)

export interface ObjectMoves {
  moves: readonly { from: string; to: string }[]
}

/** Gives files new keys, so that signed links to the old ones end. Idempotent. */
export const moveObjects = defineJob<ObjectMoves>(
  'storage.move',
  { lane: 'long' },
  async (deps, moves, { signal }) => {
    const { runMoves } = await import('./service.ts')
    await runMoves(deps, moves, signal)
  },
)

/** Removes what no row refers to: expired sessions, abandoned uploads, orphaned objects. */
export const reclaimStorage = defineJob(
  'storage.reclaim',
  {
    cron: '17 * * * *',
    maxAttempts: 3,
    lane: 'long',
  },
  async (deps, _, { signal, log }) => {
    const { reclaim } = await import('./reclaim.ts')
    const { InstallationError } = await import('../../clients/objects/storage-owner.ts')
    try {
      const removed = await reclaim(deps, new Date(), signal)
      if (removed.sessions + removed.uploads + removed.objects > 0)
        log.info('Removed unused storage', { ...removed })
    } catch (error) {
      if (!(error instanceof InstallationError)) throw error
      log.error(`Nothing was swept. ${error.message}`)
    }
  },
)
