import type { Deps } from '../deps.ts'
import { reindex } from '../features/catalog/search/reindex.ts'

/** Builds the search index anew, in every engine that is configured. */
export async function runReindex(deps: Deps): Promise<string> {
  const count = await reindex(deps)
  const engines = deps.config.meili ? 'Postgres and Meilisearch' : 'Postgres'
  return `The search index in ${engines} is up to date: ${count} listings.`
}
