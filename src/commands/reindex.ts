import type { Deps } from '../deps.ts'

/** Search answers from Postgres until listings bring an index of their own. */
export async function runReindex(deps: Deps): Promise<string> {
  await deps.database.check()
  return 'Search answers straight from Postgres: there is no index to build.'
}
