import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { type DatabaseHandle, openDatabase } from '../../../src/db/client.ts'
import { ARRAY_TYPES, openSession } from '../../../src/db/pool/sessions.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/database.ts'

const UID = '0190c6a0-0000-7000-8000-000000000001'
const ARRAYS = {
  text: [
    'plain',
    '',
    'NULL',
    null,
    'a "quote"',
    'back\\slash',
    'comma, {brace}',
    'null',
    'line\nbreak',
    'ü€🎮',
  ],
  uuid: [UID],
  smallint: [-1, 0, 32_767],
  integer: [-1, null, 0, 2_147_483_647],
  bigint: ['-1', '0', '9223372036854775807'],
}

describe('arrays in statements', () => {
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

  for (const [type, values] of Object.entries(ARRAYS)) {
    test(`of ${type} come back as they were sent, from the pool and from a connection of its own`, async () => {
      for (const sent of [values, []]) {
        const [row] = await handle.db.execute(sql`select ${sql.param(sent)}::${sql.raw(type)}[] as list`)
        expect(row?.['list']).toEqual(sent)
      }
      const session = openSession(database.url, 'test')
      const [row] = await session`select ${values}::${session.unsafe(type)}[] as list`
      await session.end()
      expect(row?.['list']).toEqual(values)
    })
  }

  test('have the numbers of Postgres', async () => {
    for (const [name, { to }] of Object.entries(ARRAY_TYPES)) {
      const [row] = await handle.db.execute(sql`select ${`${name}[]`}::regtype::oid::int as number`)
      expect(row?.['number']).toBe(to)
    }
  })

  test('have a known type wherever a column is one', async () => {
    const columns = await handle.db.execute<{ column: string; number: number }>(sql`
      select attrelid::regclass || '.' || attname as column, atttypid::int as number from pg_attribute
      join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and typcategory = 'A' and not attisdropped`)
    const known = new Set(Object.values(ARRAY_TYPES).map(({ to }) => to))
    expect(columns.length).toBeGreaterThan(10)
    expect(columns.filter(({ number }) => !known.has(number))).toEqual([])
  })
})
