import { join } from 'node:path'

import { createFallbackEngine } from '../../../clients/search/fallback-engine.ts'
import { openPostgresEngine } from '../../../clients/search/postgres/engine.ts'
import { Snapshots } from '../../../clients/search/postgres/snapshots/snapshots.ts'
import type { SearchEngine } from '../../../clients/search/search-engine.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { MIRROR_KEY, mirrorSearch } from './jobs.ts'
import { isMirrorCurrent } from './mirror-queries.ts'

/** A mirror that lags longer than this is stale, not merely catching up. */
const BEHIND_MAX_S = 10
const CHECK_EVERY_MS = 1000
const SNAPSHOT_FILE = 'search-index'

/** Postgres, which also is the fallback for a configured engine. */
export async function openSearchEngine({ config, database, db, log }: Deps): Promise<SearchEngine> {
  const snapshots = new Snapshots(db, join(config.dataDir, SNAPSHOT_FILE), log)
  const postgres = await openPostgresEngine(database, snapshots)
  // Loads the index now, so that the first search does not wait; if this fails, that search loads it.
  void postgres.settled().catch(() => undefined)
  if (!config.meili) return postgres
  const { openMeilisearch } = await import('../../../clients/search/meilisearch/engine.ts')
  const preferred = openMeilisearch(config.meili)
  // Fills an engine that was just configured without waiting for a change.
  await enqueue(db, mirrorSearch, {}, { key: MIRROR_KEY })
  return createFallbackEngine({
    preferred,
    spare: postgres,
    isCurrent: memoize(CHECK_EVERY_MS, () => isMirrorCurrent(db, preferred.name, BEHIND_MAX_S)),
    log,
  })
}
