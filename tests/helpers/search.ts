import { searchChanges } from '../../src/db/schema/search.ts'
import type { Card } from '../../src/features/catalog/model.ts'
import type { SearchAnswer } from '../../src/features/search/model.ts'
import { indexChanges } from '../../src/features/search/service.ts'
import { readData } from './json.ts'
import type { TestServer } from './server.ts'

/** What the worker does after changes; these listings count as changed too, for tests that write to the tables. */
export async function indexNow(server: TestServer, ...gameUids: string[]): Promise<void> {
  if (gameUids.length > 0) {
    await server.deps.db.insert(searchChanges).values(gameUids.map((gameUid) => ({ gameUid })))
  }
  await indexChanges(server.deps)
}

/** A query string, or the parameters of one. */
export async function searchFor(
  server: TestServer,
  query: string | Record<string, string>,
  headers: Record<string, string> = {},
): Promise<SearchAnswer> {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  return await readData<SearchAnswer>(await server.fetch(`/api/v1/public/search?${text}`, { headers }))
}

export function namesOf({ items }: { items: readonly Pick<Card, 'name'>[] }): string[] {
  return items.map(({ name }) => name)
}
