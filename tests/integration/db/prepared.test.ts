import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'

import { sql } from 'drizzle-orm'
import postgres from 'postgres'

import { type DatabaseHandle, type Db, openDatabase } from '../../../src/db/client.ts'
import { ARRAY_TYPES, openSession } from '../../../src/db/pool/sessions.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/database.ts'

let database: TestDatabase

describe('prepared statements', () => {
  let handle: DatabaseHandle
  let other: postgres.Sql
  beforeAll(async () => {
    database = await createTestDatabase()
    other = postgres(database.url, { max: 1, onnotice: () => undefined })
  })
  afterAll(async () => {
    await other.end()
    await database.drop()
  })
  beforeEach(() => {
    handle = openDatabase(database.url, { maxConnections: 1 })
  })
  afterEach(async () => {
    await handle.dispose()
  })

  /** What the connection has prepared, but for what the driver itself asks when it connects. */
  async function listPrepared(db: Db): Promise<string[]> {
    const rows = await db.execute<{ statement: string }>(
      sql`select statement from pg_prepared_statements where statement like '%as chosen%'`,
    )
    return rows.map(({ statement }) => statement)
  }

  const choose = async (db: Db, value: string) => {
    const [row] = await db.execute<{ chosen: string }>(sql`select ${value}::text as chosen`)
    return row?.chosen
  }

  describe('a statement', () => {
    test('is prepared when it is used again, whatever its values', async () => {
      expect(await choose(handle.db, 'one')).toBe('one')
      expect(await listPrepared(handle.db)).toEqual([])
      expect([await choose(handle.db, 'two'), await choose(handle.db, 'three')]).toEqual(['two', 'three'])
      expect(await listPrepared(handle.db)).toEqual(['select $1::text as chosen'])
    })

    test('is prepared inside of transactions as well', async () => {
      await handle.db.transaction(async (tx) => {
        expect([await choose(tx, 'one'), await choose(tx, 'two')]).toEqual(['one', 'two'])
      })
      expect(await listPrepared(handle.db)).toHaveLength(1)
    })

    test('is not prepared when that is switched off', async () => {
      await using resources = new AsyncDisposableStack()
      const plain = openDatabase(database.url, { maxConnections: 1, prepare: false })
      resources.defer(() => plain.dispose())
      for (const value of ['one', 'two', 'three']) expect(await choose(plain.db, value)).toBe(value)
      const rows = await plain.db.execute(sql`select name from pg_prepared_statements`)
      expect([...rows]).toEqual([])
    })
  })

  test('however many texts there are, a connection prepares a few hundred', async () => {
    for (let text = 0; text < 500; text += 1) {
      const query = sql`select ${text}::int as ${sql.identifier(`as chosen ${text}`)}`
      await handle.db.execute(query)
      await handle.db.execute(query)
    }
    expect(await listPrepared(handle.db)).toHaveLength(300)
  })

  test('a text of many values is not prepared', async () => {
    const values = sql.join(
      Array.from({ length: 1500 }, (_, index) => sql`${index}`),
      sql`, `,
    )
    for (let use = 0; use < 3; use += 1) await handle.db.execute(sql`select 1 in (${values}) as chosen`)
    expect(await listPrepared(handle.db)).toEqual([])
  })

  describe('when a column changes its type', () => {
    const read = async (db: Db) => {
      const rows = await db.execute<{ size: unknown }>(sql`select size from boxes where name = ${'box'}`)
      return rows.map(({ size }) => size)
    }
    beforeEach(async () => {
      await other`drop table if exists boxes`
      await other`create table boxes (name text, size integer)`
      await other`insert into boxes values ('box', 1)`
      expect([await read(handle.db), await read(handle.db)]).toEqual([[1], [1]])
    })

    test('what was prepared before works on', async () => {
      await other`alter table boxes alter column size type text`
      expect([await read(handle.db), await read(handle.db)]).toEqual([['1'], ['1']])
    })

    test('everyone who asks meanwhile receives their own rows', async () => {
      await Promise.all([choose(handle.db, 'one'), choose(handle.db, 'two')])
      await other`alter table boxes alter column size type text`
      const changed = read(handle.db)
      const asked: Promise<string | undefined>[] = []
      const values = Array.from({ length: 200 }, (_, index) => `value ${index}`)
      for (const value of values) {
        asked.push(choose(handle.db, value))
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await changed).toEqual(['1'])
      expect(await Promise.all(asked)).toEqual(values)
    })

    test('a transaction fails once', async () => {
      await other`alter table boxes alter column size type text`
      const once = () => handle.db.transaction((tx) => read(tx))
      expect(await once().catch(() => 'failed')).toBe('failed')
      expect(await once()).toEqual(['1'])
    })
  })

  test('nothing waits behind a slow statement while another connection is free', async () => {
    await using resources = new AsyncDisposableStack()
    const two = openDatabase(database.url, { maxConnections: 2 })
    resources.defer(() => two.dispose())
    const many = () => Promise.all(Array.from({ length: 50 }, (_, index) => choose(two.db, `${index}`)))
    const lock = async () => {
      await two.db.execute(sql`select pg_advisory_xact_lock(${4711})`)
    }
    await lock()
    await lock()
    await many()
    await many()
    await other`select pg_advisory_lock(4711)`
    const slow = lock()
    await many()
    expect(Bun.peek.status(slow)).toBe('pending')
    await other`select pg_advisory_unlock(4711)`
    await slow
  })
})

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

describe('reconnecting', () => {
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  // infra/patches: without it the driver forgets to greet the database on the next connection.
  test('a connection that is lost before its statement was sent opens again at once', async () => {
    const { hostname, port } = new URL(database.url)
    const sockets: Socket[] = []
    const open = () =>
      new Promise<Socket>((resolve) => {
        const socket = connect(Number(port), hostname, () => resolve(socket))
        sockets.push(socket)
      })
    // The types omit this option of the driver.
    const options = { max: 1, connect_timeout: 5, fetch_types: false, socket: open }
    const sql = postgres(database.url, options)
    try {
      await sql`select 1`
      const lost = sql`select 2`.execute()
      sockets[0]?.destroy()
      expect(await lost.catch((error: unknown) => String(error))).toContain('CONNECTION_CLOSED')
      expect([...(await sql`select 3 as value`)]).toEqual([{ value: 3 }])
      expect(sockets).toHaveLength(2)
    } finally {
      await sql.end({ timeout: 0 })
    }
  })
})
