import { handleJob } from '../../jobs/handler.ts'
import { deleteObjects, reclaimStorage } from './jobs.ts'
import { reclaim } from './reclaim.ts'

export const storageHandlers = [
  handleJob(deleteObjects, async ({ store }, { keys }, { signal }) => {
    for (const key of keys) {
      signal.throwIfAborted()
      await store.delete(key)
    }
  }),
  handleJob(reclaimStorage, async (deps, _, { signal, log }) => {
    const freed = await reclaim(deps, new Date(), signal)
    if (freed.sessions + freed.uploads + freed.objects > 0) log.info('Freed what nothing needs', { ...freed })
  }),
]
