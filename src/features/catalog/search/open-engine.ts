import { createFallbackEngine } from '../../../clients/search/fallback-engine.ts'
import { openMeilisearch } from '../../../clients/search/meilisearch/engine.ts'
import { openPostgresEngine } from '../../../clients/search/postgres/engine.ts'
import type { SearchEngine } from '../../../clients/search/search-engine.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { memoize } from '../../../lib/memoize.ts'
import { MIRROR_KEY, mirrorSearch } from './jobs.ts'
import { isMirrorCurrent } from './mirror-queries.ts'

/** Behind for longer than this is not just being told. */
const BEHIND_MAX_S = 10
const LOOK_EVERY_MS = 1000

/** Postgres answers, or stands in for the engine that was configured. */
export async function openSearchEngine({ config, database, db, log }: Deps): Promise<SearchEngine> {
  const postgres = await openPostgresEngine(database)
  // Read now, so that the first search does not wait for it; should it fail, that search reads it.
  void postgres.settled().catch(() => undefined)
  if (!config.meili) return postgres
  const preferred = openMeilisearch(config.meili)
  // One that was configured just now is filled without waiting for a change.
  await enqueue(db, mirrorSearch, {}, { key: MIRROR_KEY })
  return createFallbackEngine({
    preferred,
    spare: postgres,
    isCurrent: memoize(LOOK_EVERY_MS, () => isMirrorCurrent(db, preferred.name, BEHIND_MAX_S)),
    log,
  })
}
