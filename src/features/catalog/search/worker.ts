import { handleJob } from '../../../jobs/handler.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { indexListings } from '../../games/jobs.ts'
import { readDocuments } from './documents.ts'
import { indexChanges } from './indexing.ts'
import { MIRROR_KEY, mirrorSearch, REBUILD_KEY, rebuildSearch } from './jobs.ts'
import { type ReadDocuments, syncDocuments } from './mirror.ts'
import { findReindex } from './reindex-queries.ts'
import { continueReindex } from './reindex.ts'

const RETRY_MS = 5000
/** A running reindex writes a batch every second or so. */
const ABANDONED_MS = 30_000

export const searchHandlers = [
  handleJob(indexListings, async (deps, _, { signal }) => {
    const done = await indexChanges(deps, signal)
    if (done > 0 && deps.config.meili) await enqueue(deps.db, mirrorSearch, {}, { key: MIRROR_KEY })
    const run = await findReindex(deps.db)
    // Its process was killed.
    const isAbandoned = run !== null && Date.now() - run.movedAt.getTime() > ABANDONED_MS
    if (isAbandoned) await enqueue(deps.db, rebuildSearch, {}, { key: REBUILD_KEY })
  }),

  handleJob(rebuildSearch, async (deps, _, { log, signal }) => {
    const listings = await continueReindex(deps, { signal })
    if (listings > 0) log.info('The search index was rebuilt', { listings })
  }),

  handleJob(mirrorSearch, async ({ config, database, db }, { failures = 0 }, { log, signal }) => {
    if (!config.meili) return
    const readUnlessStopping: ReadDocuments = (from, uids) => {
      signal.throwIfAborted()
      return readDocuments(from, uids)
    }
    const { openMeilisearch } = await import('../../../clients/search/meilisearch/engine.ts')
    try {
      await syncDocuments(database, openMeilisearch(config.meili), readUnlessStopping)
      if (failures > 0) log.info('Meilisearch is up to date again')
    } catch (error) {
      // Retries soon, because the queue's own delays grow to hours.
      const runAt = new Date(Date.now() + RETRY_MS)
      await enqueue(db, mirrorSearch, { failures: failures + 1 }, { key: MIRROR_KEY, runAt })
      if (failures === 0) log.warn('Changes could not be sent to Meilisearch and will be retried', { error })
    }
  }),
]
