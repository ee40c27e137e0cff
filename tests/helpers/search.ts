import { sql } from 'drizzle-orm'

import { SEARCH_CHANGED } from '../../src/clients/search/postgres/index-queries.ts'
import type { Card } from '../../src/features/catalog/pages/model.ts'
import { indexChanges } from '../../src/features/catalog/search/indexing.ts'
import type { SearchAnswer } from '../../src/features/catalog/search/model.ts'
import { notifyChange } from '../../src/features/games/service.ts'
import { readData } from './json.ts'
import { randomAddress } from './people.ts'
import type { TestServer } from './server.ts'

/** What the worker does after changes; these listings count as changed too, for tests that write to the tables. */
export async function indexNow(server: TestServer, ...gameUids: string[]): Promise<void> {
  await server.deps.db.transaction(async (tx) => {
    for (const uid of gameUids) await notifyChange(tx, uid)
  })
  await indexChanges(server.deps)
  await untilTold(server)
}

/** Notifications arrive in order: when this one has, the server knows of everything before it. */
async function untilTold({ deps }: TestServer): Promise<void> {
  const [token, told] = [crypto.randomUUID(), Promise.withResolvers<void>()]
  const hear = (payload: string) => payload === token && told.resolve()
  await deps.database.listen(SEARCH_CHANGED, hear, () => undefined)
  await deps.db.execute(sql`select pg_notify(${SEARCH_CHANGED}, ${token})`)
  await told.promise
}

/** A query string, or the parameters of one. Every time from another address, so that no limit is reached. */
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
