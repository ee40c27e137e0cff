import { defineJob, handleJob } from '../../../jobs/define.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { indexListings } from '../../games/jobs.ts'

const RETRY_MS = 5000
/** A running reindex writes a batch every second or so. */
const ABANDONED_MS = 30_000

/**
 * Sends changes to the search engine beside Postgres. Also runs every minute, to notice an engine that lost its data
 * while nothing changes.
 */
export const mirrorSearch = defineJob<{ failures?: number }>(
  'search.mirror',
  {
    queue: 'search.mirror',
    cron: '* * * * *',
  },
  async ({ config, database, db }, { failures = 0 }, { log, signal }) => {
    const { loadDocuments } = await import('./indexing.ts')
    const { syncDocuments } = await import('./mirror.ts')
    const { loadSameWords } = await import('./same-words.ts')
    if (!config.meili) return
    const loadUnlessStopping: typeof loadDocuments = (from, uids) => {
      signal.throwIfAborted()
      return loadDocuments(from, uids)
    }
    const { openMeilisearch } = await import('../../../clients/search/meilisearch/engine.ts')
    try {
      const index = openMeilisearch(config.meili)
      await syncDocuments(database, index, loadUnlessStopping)
      await index.writeSameWords(await loadSameWords(config, db))
      if (failures > 0) log.info('Meilisearch is up to date again')
    } catch (error) {
      // Retries soon, because the queue's own delays grow to hours.
      const runAt = new Date(Date.now() + RETRY_MS)
      await enqueue(db, mirrorSearch, { failures: failures + 1 }, { key: MIRROR_KEY, runAt })
      if (failures === 0) log.warn('Changes could not be sent to Meilisearch and will be retried', { error })
    }
  },
)
/** Pending jobs are merged: one run sends every change. */
export const MIRROR_KEY = 'search.mirror'

/** Runs the requested reindex unless another process already did. Searches continue meanwhile. */
export const rebuildSearch = defineJob(
  'search.rebuild',
  { maxAttempts: 3, lane: 'long' },
  async (deps, _, { log, signal }) => {
    const { continueReindex } = await import('./reindex.ts')
    const listings = await continueReindex(deps, { signal })
    if (listings > 0) log.info('The search index was rebuilt', { listings })
  },
)
/** Searches without a result are kept for a month. */
export const pruneMisses = defineJob('search.prune_misses', { cron: '23 4 * * *' }, async ({ db }) => {
  const { deleteOldMisses } = await import('./miss-queries.ts')
  await deleteOldMisses(db)
})

/** Pending rebuilds are merged. */
export const REBUILD_KEY = 'search.rebuild'

/** Twice an hour. One run at a time. */
export const countPopularity = defineJob(
  'search.popularity',
  { queue: 'search.popularity', cron: '11,41 * * * *', lane: 'long', maxAttempts: 1 },
  async (deps, _, { log, signal }) => {
    const { updatePopularity } = await import('./popularity.ts')
    const changed = await updatePopularity(deps, new Date(), signal)
    if (changed > 0) log.info('The popularity of listings changed', { changed })
  },
)

/** While listings keep changing, one run takes the changes of this time: fewer statements, and fewer reads by each process. */
const RUNS_APART_MS = 50
let mayRunAt = 0

async function waitForTurn(): Promise<void> {
  await Bun.sleep(Math.max(0, mayRunAt - performance.now()))
  mayRunAt = performance.now() + RUNS_APART_MS
}

/** `indexListings` is declared in an area below. */
export const searchHandlers = [
  handleJob(indexListings, async (deps, _, { signal }) => {
    await waitForTurn()
    const { indexChanges } = await import('./indexing.ts')
    const { findReindex } = await import('./reindex-queries.ts')
    const done = await indexChanges(deps, signal)
    if (done > 0 && deps.config.meili) await enqueue(deps.db, mirrorSearch, {}, { key: MIRROR_KEY })
    const run = await findReindex(deps.db)
    // The process that ran it was killed.
    const isAbandoned = run !== null && Date.now() - run.movedAt.getTime() > ABANDONED_MS
    if (isAbandoned) await enqueue(deps.db, rebuildSearch, {}, { key: REBUILD_KEY })
  }),
]
