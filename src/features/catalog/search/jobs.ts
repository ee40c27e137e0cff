import { defineJob } from '../../../jobs/define.ts'

/**
 * Sends changes to the search engine beside Postgres. Also runs every minute, to notice an engine that lost its data
 * while nothing changes.
 */
export const mirrorSearch = defineJob<{ failures?: number }>('search.mirror', {
  queue: 'search.mirror',
  cron: '* * * * *',
})
/** Pending jobs are merged: one run sends every change. */
export const MIRROR_KEY = 'search.mirror'

/** Works off the reindex that was requested, if another process has not. Searches continue meanwhile. */
export const rebuildSearch = defineJob('search.rebuild', { maxAttempts: 3, lane: 'long' })
/** Pending rebuilds are merged. */
export const REBUILD_KEY = 'search.rebuild'
