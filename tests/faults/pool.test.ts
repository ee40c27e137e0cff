import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import postgres from 'postgres'

import { LOCKS } from '../../src/db/locks/locks.ts'
import { watchPool } from '../../src/db/pool/watch-pool.ts'
import { readFailure } from '../helpers/json.ts'
import { insertPublicGame } from '../helpers/listings.ts'
import { usePerson, useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const TRANSACTIONS = 6

/** A fifth of the real ones. */
const TIMES = { waitMs: 1000, lockMs: 2000, beatMs: 500, stuckAfterMs: 8000 }

const server = useStore({ TRUST_PROXY: '1' }, { poolTimes: TIMES })
const person = usePerson(server)

/** Takes every connection that transactions may have, where Postgres would not end it; the function gives them back. */
async function holdAll(): Promise<() => Promise<void>> {
  const release = Promise.withResolvers<void>()
  const taken = Array.from({ length: TRANSACTIONS }, () => Promise.withResolvers<void>())
  const held = taken.map(({ resolve }) =>
    server.deps.db.transaction(async (tx) => {
      await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
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

test('a pool without transactions: changes end with 5031, reads go on, and /health asks for a restart', async () => {
  const { uid } = await insertPublicGame(server, person)
  const release = await holdAll()
  const [page, change] = await Promise.all([
    server.fetch(`/api/v1/public/games/${uid}`),
    person.json('PATCH', `/api/v1/private/games/${uid}`, { tagline: 'Changed.' }),
  ])
  expect(page.status).toBe(200)
  expect(await readFailure(change)).toMatchObject({
    status: 503,
    code: 5031,
    message: 'The database is too busy to answer in time; try again soon.',
  })
  expect((await server.fetch('/ready')).status).toBe(503)
  expect((await server.fetch('/health')).status).toBe(200)
  const stuck = await waitFor('The stuck pool', readStuck, 30_000)
  expect(await readFailure(stuck)).toMatchObject({ status: 503, code: 5031 })
  await release()
  expect((await person.fetch('/api/v1/private/me')).status).toBe(200)
  await waitFor('The recovery', async () => (await server.fetch('/health')).status === 200)
})

async function readStuck(): Promise<Response | null> {
  const answer = await server.fetch('/health')
  return answer.status === 200 ? null : answer
}

test('a database that is away for everyone is not a stuck pool', async () => {
  const { log } = server.deps
  const times = { beatMs: 20, stuckAfterMs: 60 }
  const away = { check: () => Promise.reject(new Error('away')), answered: () => 0 }
  const [nowhere, here] = [
    watchPool(away, 'postgres://127.0.0.1:1/nothing', log, times),
    watchPool(away, server.databaseUrl, log, { ...times, beatMs: 1000 }),
  ]
  await waitFor('The stuck pool', here.isStuck)
  expect(nowhere.isStuck()).toBe(false)
  nowhere.stop()
  here.stop()
})

describe('a lock that somebody holds for long', () => {
  let other: postgres.Sql
  beforeAll(() => {
    other = postgres(server.databaseUrl, { max: 1 })
  })
  afterAll(() => other.end())

  test('ends a change with 5031', async () => {
    const answer = await other.begin(async (tx) => {
      await tx`select 1 from users where id = ${person.uid} for update`
      return await person.json('PATCH', '/api/v1/private/me', { adult_content: true })
    })
    expect(await readFailure(answer)).toMatchObject({ status: 503, code: 5031 })
  })

  test('ends a sign-up with 5031, and the next one succeeds', async () => {
    const ask = () =>
      server.fetch('/api/auth/sign-up/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify({ name: 'Held', email: 'held@example.org', password: 'a long password' }),
      })
    const answer = await other.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${LOCKS.username}, hashtext('held'))`
      return await ask()
    })
    expect(await readFailure(answer)).toMatchObject({ status: 503, code: 5031 })
    expect((await ask()).status).toBe(200)
  })
})
