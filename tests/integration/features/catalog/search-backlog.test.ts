import { expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { openPostgresEngine } from '../../../../src/clients/search/postgres/engine.ts'
import { SEARCH_CHANGED } from '../../../../src/clients/search/postgres/write/index-queries.ts'
import type { SearchIndex } from '../../../../src/clients/search/search-engine.ts'
import { notify } from '../../../../src/db/notify/notify.ts'
import { parseQuery } from '../../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../../src/features/catalog/search/request.ts'
import { makeDocument } from '../../../helpers/search/search-documents.ts'
import { useDatabase } from '../../../helpers/store.ts'

const COPIES = 20_000

const database = useDatabase()

/** Documents with the next ids and versions, all like the last one. */
async function insertCopies(count: number): Promise<void> {
  await database.db.execute(sql`
    insert into search_documents (id, game_uid, document, word_ids, version)
    select id + number, gen_random_uuid(), document, word_ids, version + number
    from (select * from search_documents order by version desc limit 1) as last,
      generate_series(1, ${count}::integer) as number`)
  await notify(database.db, SEARCH_CHANGED, '')
}

const { query } = parseQuery(SearchRequest.parse([]), false)

/** Searches until something changed. */
async function searchAfter(engine: SearchIndex, before: number): Promise<number> {
  for (;;) {
    const { total } = await engine.search(query)
    if (total !== before) return total
  }
}

test('a search waits for an index that takes long to load only so long, and a later one finds all of it', async () => {
  const writer = await openPostgresEngine(database)
  await writer.upsert([makeDocument({ name: 'Early' })])
  const engine = await openPostgresEngine(database, null, 100)
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = database.db.transaction(async (tx) => {
    await tx.execute(sql`lock table search_documents in access exclusive mode`)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const refusal = await engine.search(query).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ kind: 'service_down', headers: { 'retry-after': '5' } })
  released.resolve()
  await holding
  await engine.settled()
  expect((await engine.search(query)).total).toBe(1)
})

test('a search waits for some hundred changes, and shows all of them', async () => {
  const engine = await openPostgresEngine(database)
  await engine.upsert([makeDocument({ name: 'First' })])
  const { total } = await engine.search(query)
  await insertCopies(500)
  expect(await searchAfter(engine, total)).toBe(total + 500)
})

test('a search does not wait for a large backlog, which is read in the background', async () => {
  const engine = await openPostgresEngine(database)
  const { total } = await engine.search(query)
  await insertCopies(COPIES)
  expect(await searchAfter(engine, total)).toBeLessThan(COPIES)
  // Nobody searches meanwhile.
  await engine.settled()
  expect((await engine.search(query)).total).toBe(total + COPIES)
})
