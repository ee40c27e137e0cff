import { openMeilisearch } from '../../../clients/search/meilisearch/engine.ts'
import { dropUnusedWords } from '../../../clients/search/postgres/write-index.ts'
import type { Deps } from '../../../deps.ts'
import { readDocuments } from './documents.ts'
import { indexChanges } from './indexing.ts'
import { rebuildMirror } from './mirror.ts'
import { countDocuments, queueEverything } from './queries.ts'

/**
 * Indexes every listing again and returns how many can be found. Searches continue meanwhile: each document stays
 * until the new one replaces it.
 */
export async function reindex(deps: Deps): Promise<number> {
  await deps.db.transaction((tx) => queueEverything(tx))
  await indexChanges(deps)
  await deps.db.transaction((tx) => dropUnusedWords(tx))
  if (deps.config.meili) await rebuildMirror(deps.database, openMeilisearch(deps.config.meili), readDocuments)
  return await countDocuments(deps.db)
}
