import { InstallationError } from '../../clients/object-store/storage-owner.ts'
import { handleJob } from '../../jobs/handler.ts'
import { deleteObjects, moveObjects, reclaimStorage } from './jobs.ts'
import { runMoves } from './move.ts'
import { reclaim } from './reclaim.ts'
import { removeObjects } from './remove.ts'

export const storageHandlers = [
  handleJob(deleteObjects, async (deps, objects, { signal }) => {
    await removeObjects(deps, objects, signal)
  }),
  handleJob(moveObjects, async (deps, moves, { signal }) => {
    await runMoves(deps, moves, signal)
  }),
  handleJob(reclaimStorage, async (deps, _, { signal, log }) => {
    try {
      const removed = await reclaim(deps, new Date(), signal)
      if (removed.sessions + removed.uploads + removed.objects > 0)
        log.info('Removed unused storage', { ...removed })
    } catch (error) {
      if (!(error instanceof InstallationError)) throw error
      log.error(`Nothing was swept. ${error.message}`)
    }
  }),
]
