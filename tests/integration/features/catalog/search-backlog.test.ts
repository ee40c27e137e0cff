import { afterAll, beforeAll, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { openPostgresEngine } from '../../../../src/clients/search/postgres/engine.ts'
import { SEARCH_CHANGED } from '../../../../src/clients/search/postgres/index-queries.ts'
import { type DatabaseHandle, openDatabase } from '../../../../src/db/client.ts'
import { notify } from '../../../../src/db/notify.ts'
import { readQuery } from '../../../../src/features/catalog/search/query.ts'
import { createTestDatabase, type TestDatabase } from '../../../helpers/database.ts'
import { makeDocument } from '../../../helpers/search-documents.ts'

const COPIES = 20_000

let database: TestDatabase
let handle: DatabaseHandle
beforeAll(async () => {
  database = await createTestDatabase()
  handle = openDatabase(database.url)
})
afterAll(async () => {
  await handle.dispose()
  await database.drop()
})

test('a search does not wait for a large backlog, which is read in the background', async () => {
  const engine = await openPostgresEngine(handle)
  await engine.upsert([makeDocument({ name: 'Original' })])
  const { query } = readQuery(() => [], false)
  expect((await engine.search(query)).total).toBe(1)
  await handle.db.execute(sql`
    insert into search_documents (id, game_uid, document, word_ids, version)
    select id + number, gen_random_uuid(), document, word_ids, version + number
    from search_documents, generate_series(1, ${COPIES}::integer) as number`)
  await notify(handle.db, SEARCH_CHANGED, '')
  let { total } = await engine.search(query)
  while (total === 1) total = (await engine.search(query)).total
  expect(total).toBeLessThan(COPIES)
  // Nobody searches meanwhile.
  await engine.settled()
  expect((await engine.search(query)).total).toBe(COPIES + 1)
})
