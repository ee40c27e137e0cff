import { sql } from 'drizzle-orm'

import { SEARCH_CHANGED } from '../../../src/clients/search/postgres/write/index-queries.ts'
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
  await untilTold(server)
}

/** Notifications arrive in order: once this one has arrived, so have all earlier ones. */
async function untilTold({ deps }: TestServer): Promise<void> {
  const [token, told] = [crypto.randomUUID(), Promise.withResolvers<void>()]
  const hear = (payload: string) => payload === token && told.resolve()
  await deps.database.listen(SEARCH_CHANGED, hear, () => undefined)
  await deps.db.execute(sql`select pg_notify(${SEARCH_CHANGED}, ${token})`)
  await told.promise
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
