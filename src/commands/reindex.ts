import type { Deps } from '../deps.ts'
import { reindex } from '../features/catalog/search/reindex.ts'
import { plural } from '../lib/text/plural.ts'
import { createProgress } from './progress.ts'

/** Rebuilds the search index in every configured engine. */
export async function runReindex(deps: Deps): Promise<string> {
  const count = await reindex(deps, { onProgress: createProgress('Indexing') })
  const engines = deps.config.meili ? 'Postgres and Meilisearch' : 'Postgres'
  return `The search index in ${engines} is up to date${count > 0 ? `: ${plural(count, 'listing')}` : ''}.`
}
