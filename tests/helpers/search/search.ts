import { SEARCH_CHANGED } from '../../../src/clients/search/postgres/write/index-queries.ts'
import { notify } from '../../../src/db/notify/notify.ts'
import type { Card } from '../../../src/features/catalog/pages/model.ts'
import { indexChanges } from '../../../src/features/catalog/search/indexing.ts'
import type { SearchAnswer } from '../../../src/features/catalog/search/model.ts'
import { notifyChange } from '../../../src/features/games/service.ts'
import { readData } from '../json.ts'
import { randomAddress } from '../people.ts'
import type { TestServer } from '../server.ts'

/** Runs the worker's index update, also for `gameUids`, which tests changed directly in the tables. */
export async function indexNow(server: TestServer, ...gameUids: string[]): Promise<void> {
  await server.deps.db.transaction(async (tx) => {
    for (const uid of gameUids) await notifyChange(tx, uid)
  })
  await indexChanges(server.deps)
  // When this returns, the process has received its own notification and thus all earlier ones.
  await server.deps.db.transaction((tx) => notify(tx, SEARCH_CHANGED, ''))
}

/** Takes a query string or parameters. Each search comes from another address, to stay below the limits. */
export async function searchFor(
  server: TestServer,
  query: string | Record<string, string>,
  headers: Record<string, string> = {},
): Promise<SearchAnswer> {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  const answer = await server.fetch(`/api/v1/public/search?${text}`, {
    headers: { 'x-forwarded-for': randomAddress(), ...headers },
  })
  return await readData<SearchAnswer>(answer)
}

export function namesOf({ items }: { items: readonly Pick<Card, 'name'>[] }): string[] {
  return items.map(({ name }) => name)
}
