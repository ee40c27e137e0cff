import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import postgres from 'postgres'

import { type DatabaseHandle, type Db, openDatabase } from '../../../src/db/client.ts'
import { isBusyError, isConnectionError } from '../../../src/db/errors.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/database.ts'
import { behind, startTcpProxy } from '../../helpers/processes/tcp-proxy.ts'

const CONNECTIONS = 2

let database: TestDatabase
let handle: DatabaseHandle
let other: postgres.Sql
beforeAll(async () => {
  database = await createTestDatabase()
  other = postgres(database.url, { max: 1, onnotice: () => undefined })
  await other`create table notes (text text)`
})
afterAll(async () => {
  await other.end()
  await database.drop()
})
beforeEach(() => {
  handle = openDatabase(database.url, { maxConnections: CONNECTIONS })
})
afterEach(async () => {
  await handle.dispose()
  await other`delete from notes`
})

/** Shorter than a program waits. */
const WAIT_MS = 1000

const run = (db: Db, statement: string) => db.execute(sql.raw(statement))
const note = (db: Db, text: string) => db.execute(sql`insert into notes values (${text})`)
const notes = async () => (await other<{ text: string }[]>`select text from notes`).map(({ text }) => text)

/** The innermost message of a failure: drizzle wraps what the driver says. */
async function readReason(failing: Promise<unknown>): Promise<string> {
  let error = await failing.catch((reason: unknown) => reason)
  while (error instanceof Error && error.cause) error = error.cause
  return error instanceof Error ? error.message : 'no failure'
}

async function readPid(db: Db): Promise<number> {
  const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return row?.pid ?? 0
}

/** Takes every connection; the function gives them back. */
async function holdAll(): Promise<() => Promise<void>> {
  const release = Promise.withResolvers<void>()
  const taken = Array.from({ length: CONNECTIONS }, () => Promise.withResolvers<void>())
  const held = taken.map(({ resolve }) =>
    handle.db.transaction(async (tx) => {
      await run(tx, 'select 1')
      resolve()
      await release.promise
    }),
  )
  await Promise.all(taken.map(({ promise }) => promise))
  return async () => {
    release.resolve()
    await Promise.all(held)
  }
}

test('reads find a connection while transactions wait for a row', async () => {
  await handle.dispose()
  handle = openDatabase(database.url, { maxConnections: 6 })
  await note(handle.db, 'one')
  const release = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const holder = other.begin(async (tx) => {
    await tx`select from notes for update`
    isHeld.resolve()
    await release.promise
  })
  await isHeld.promise
  const changes = Array.from({ length: 20 }, () =>
    handle.db.transaction((tx) => run(tx, `update notes set text = text || '+'`)),
  )
  try {
    for (let reads = 0; reads < 10; reads += 1) await run(handle.db, 'select 1')
  } finally {
    release.resolve()
    await Promise.all([holder, ...changes])
  }
  expect(await notes()).toEqual([`one${'+'.repeat(20)}`])
})

describe('inside a transaction', () => {
  test.each([
    ['the database', () => run(handle.db, 'select 1')],
    ['a second transaction', () => handle.db.transaction((tx) => run(tx, 'select 1'))],
    ['the check', () => handle.check()],
  ])('%s of the same pool is refused', async (_, ask) => {
    const refused = handle.db.transaction(async (tx) => {
      await note(tx, 'undone')
      await ask()
    })
    expect(await readReason(refused)).toContain('the pool was asked for a second connection')
    expect(await notes()).toEqual([])
  })

  test('another pool may be asked, and the own one again by what outlives the transaction', async () => {
    const second = openDatabase(database.url, { maxConnections: 1 })
    const commit = Promise.withResolvers<void>()
    const later = await handle.db.transaction(async (tx) => {
      await run(tx, 'select 1')
      await second.check()
      return { settled: commit.promise.then(() => handle.check()) }
    })
    commit.resolve()
    await later.settled
    await second.dispose()
  })
})

describe('a wait for a connection', () => {
  beforeEach(async () => {
    await handle.dispose()
    handle = openDatabase(database.url, { maxConnections: CONNECTIONS, times: { waitMs: WAIT_MS } })
  })

  test('ends after some seconds, and what was not sent never runs', async () => {
    const release = await holdAll()
    const waits = await Promise.allSettled([
      note(handle.db, 'statement'),
      handle.db.transaction((tx) => note(tx, 'transaction')),
    ])
    for (const wait of waits) {
      expect(wait.status).toBe('rejected')
      expect(isBusyError(wait.status === 'rejected' && wait.reason)).toBe(true)
    }
    await release()
    const pids = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => handle.db.transaction((tx) => readPid(tx))),
    )
    expect(new Set(pids).size).toBe(CONNECTIONS)
    expect(await notes()).toEqual([])
  })

  test('of a transaction does not end because this process stood still', async () => {
    const release = await holdAll()
    const waiting = handle.db.transaction((tx) => note(tx, 'patient'))
    await Bun.sleep(500)
    Bun.sleepSync(WAIT_MS + 500)
    await release()
    await waiting
    expect(await notes()).toEqual(['patient'])
  })

  test('that ends in time is none', async () => {
    const release = await holdAll()
    const waiting = note(handle.db, 'patient')
    await Bun.sleep(500)
    await release()
    await waiting
    expect(await notes()).toEqual(['patient'])
  })

  test('does not end a long statement that has its connection', async () => {
    const untilNoted =
      'do $$ begin while not exists (select from notes) loop perform pg_sleep(0.1); end loop; end $$'
    const long = Array.from({ length: CONNECTIONS + 1 }, async () => await run(handle.db, untilNoted))
    const outcomes = Promise.allSettled(long)
    expect(isBusyError(await long.at(-1)?.catch((error: unknown) => error))).toBe(true)
    await other`insert into notes values ('enough')`
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  })
})

describe('a transaction whose connection is lost', () => {
  async function lose(idle: boolean): Promise<unknown> {
    return await handle.db
      .transaction(async (tx) => {
        await note(tx, 'lost')
        const pid = await readPid(tx)
        const lost = idle ? Bun.sleep(500) : run(tx, 'select pg_sleep(5)')
        await other`select pg_terminate_backend(${pid})`
        await lost
        await note(tx, 'after the loss')
      })
      .catch((error: unknown) => error)
  }

  test.each([true, false])('fails as such, and the pool goes on (idle: %p)', async (idle) => {
    expect(isConnectionError(await lose(idle))).toBe(true)
    await note(handle.db, 'next')
    expect(await notes()).toEqual(['next'])
  })

  test('never touches the transaction that has the connection next', async () => {
    await handle.dispose()
    handle = openDatabase(database.url, { maxConnections: 1 })
    const resume = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const first = handle.db.transaction(async (tx) => {
      await other`select pg_terminate_backend(${await readPid(tx)})`
      await resume.promise
      await note(tx, 'stray').finally(() => ended.resolve())
    })
    expect(isConnectionError(await first.catch((error: unknown) => error))).toBe(true)
    await handle.db.transaction(async (tx) => {
      await note(tx, 'one')
      resume.resolve()
      await ended.promise.then(() => Bun.sleep(100))
      await note(tx, 'two')
    })
    expect(await notes()).toEqual(['one', 'two'])
  })
})

describe('half-open connections', () => {
  test('are replaced once Postgres must have responded', async () => {
    const { hostname, port } = new URL(database.url)
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) })
    const behindProxy = openDatabase(behind(database.url, proxy), {
      maxConnections: CONNECTIONS,
      statementTimeoutMs: 1500,
    })
    const { db } = behindProxy
    await Promise.all(Array.from({ length: CONNECTIONS }, () => run(db, 'select pg_sleep(0.2)')))
    const day = await run(db, "select date '2026-02-28' as day")
    const inside = Promise.withResolvers<void>()
    const frozen = Promise.withResolvers<void>()
    const transaction = db.transaction(async (tx) => {
      await note(tx, 'lost')
      inside.resolve()
      await frozen.promise
      await note(tx, 'never sent')
    })
    await inside.promise
    // Connections that are made from now on work, as after a failover.
    proxy.treat(() => 'freeze')
    proxy.treat(() => 'forward')
    frozen.resolve()
    const outcomes = await Promise.allSettled([transaction, note(db, 'not stored')])
    for (const outcome of outcomes) {
      expect(isConnectionError(outcome.status === 'rejected' && outcome.reason)).toBe(true)
    }
    expect(await run(db, "select date '2026-02-28' as day")).toEqual(day)
    await db.transaction((tx) => note(tx, 'next'))
    await behindProxy.dispose()
    expect(await notes()).toEqual(['next'])
  })
})

test('a statement after the end of its transaction is refused', async () => {
  const tx = await handle.db.transaction(async (open) => {
    await run(open, 'select 1')
    return { open }
  })
  expect(await readReason(note(tx.open, 'late'))).toContain('is over')
  await handle.check()
  expect(await notes()).toEqual([])
})

test('Postgres limits statements, waits for locks and idle transactions', async () => {
  const rows = await handle.db.execute<{ name: string; setting: string }>(
    sql`select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`,
  )
  expect(rows.map(({ name, setting }) => [name, Number(setting)])).toEqual([
    ['idle_in_transaction_session_timeout', 60_000],
    ['lock_timeout', 10_000],
    ['statement_timeout', 30_000],
  ])
})

test('a lock by name lasts as long as its work, which may use the pool', async () => {
  const events: string[] = []
  const work = (name: string) =>
    handle.withLock('a test', async () => {
      events.push(`${name} begins`)
      await handle.check()
      await Bun.sleep(100)
      events.push(`${name} ends`)
    })
  await Promise.all([work('one'), work('two')])
  const [first] = events[0]?.split(' ') ?? []
  const second = first === 'one' ? 'two' : 'one'
  expect(events).toEqual([`${first} begins`, `${first} ends`, `${second} begins`, `${second} ends`])
})
