import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { openEmbeddedPostgres } from '../../src/db/embedded/embedded.ts'
import type { Listing } from '../../src/features/catalog/pages/model.ts'
import type { SearchAnswer } from '../../src/features/catalog/search/model.ts'
import type { Readiness } from '../../src/http/operations.ts'
import { readData, readFailure } from '../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../helpers/people.ts'
import { type ChildServer, createTempDir, startChild } from '../helpers/processes/child.ts'
import { isRunning } from '../helpers/processes/is-running.ts'
import { behind, startTcpProxy, type TcpProxy } from '../helpers/processes/tcp-proxy.ts'
import { type ReachableServer, startTestServer, TEST_SECRET_KEY } from '../helpers/server.ts'
import { PROMPT_MS, waitFor } from '../helpers/wait.ts'

/** Requests wait five seconds for a connection, at most twice; the rest is for a busy machine. */
const BOUND_MS = 13_000

/** A Postgres of its own at an address that survives its restarts, as a service name or a virtual address does. */
let dir: Awaited<ReturnType<typeof createTempDir>>
let target: { host: string; port: number }
let proxy: TcpProxy
/** A process of its own: the test runner ends threads whose rejections the program handles. */
let child: ChildServer
let server: ReachableServer
let person: Person
let game: GameRow
let key: string
beforeAll(async () => {
  dir = await createTempDir('postgres')
  target = { host: '127.0.0.1', port: 0 }
  const url = await startPostgres()
  proxy = await startTcpProxy(target)
  child = await startChild({
    env: {
      TRUST_PROXY: '1',
      SECRET_KEY: TEST_SECRET_KEY,
      DATA_DIR: join(dir.path, 'store'),
      STORAGE_RESERVE: '0',
      DATABASE_URL: behind(url, proxy),
    },
  })
  server = {
    url: child.url,
    fetch: (path, init) => fetch(child.url + path, { redirect: 'manual', ...init }),
  }
  person = await signUp(server)
  game = await insertGameOf(person, url)
  const answer = await person.json('POST', '/api/v1/private/player-keys', { label: 'Console' })
  key = (await readData<{ key: string }>(answer)).key
})
afterAll(async () => {
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  await proxy[Symbol.asyncDispose]()
  await endPostgres('SIGINT')
  await dir.remove()
})

async function insertGameOf(owner: Person, databaseUrl: string): Promise<GameRow> {
  const writer = await startTestServer({ DATABASE_URL: databaseUrl })
  const inserted = await insertPublicGame(writer, owner)
  await writer.stop()
  return inserted
}

async function startPostgres(): Promise<string> {
  const running = await openEmbeddedPostgres(dir.path, { settings: { fsync: 'off' } })
  target.port = Number(new URL(running.url).port)
  return running.url
}

/** Killed hard, the processes of its connections notice by themselves; until then they still answer. */
async function endPostgres(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  const pid = Number((await readFile(join(dir.path, 'data/postmaster.pid'), 'utf8')).split('\n')[0])
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)
  process.kill(pid, signal)
  for (const each of [pid, ...children])
    await waitFor('the end of Postgres', async () => !(await isRunning(each)))
}

/** Fast machines ask again and again until something happens, which no limit of an address allows. */
const fromAnywhere = () => ({ headers: { 'x-forwarded-for': randomAddress() } })
const withKey = () => ({ headers: { authorization: `Bearer ${key}` } })

const readPage = () => server.fetch(`/api/v1/public/games/${game.uid}`)

const ROUTES: readonly (readonly [name: string, ask: () => Promise<Response>])[] = [
  ['a page', readPage],
  ['a page with a player key', () => server.fetch(`/api/v1/public/games/${game.uid}`, withKey())],
  ['a search', () => server.fetch('/api/v1/public/search?q=lighthouse', fromAnywhere())],
  ['the account', () => person.fetch('/api/v1/private/me')],
  ['a change', () => person.json('PATCH', `/api/v1/private/games/${game.uid}`, { tagline: 'Changed.' })],
]

async function expectAll(status: number): Promise<void> {
  for (const [name, ask] of ROUTES) expect([name, (await ask()).status]).toEqual([name, status])
}

const askAll = () => Promise.all(ROUTES.map(([, ask]) => ask()))

/** Nothing comes from a cache, and nobody waits for long. */
async function expectUnavailable(): Promise<void> {
  await Promise.all(
    ROUTES.map(async ([name, ask]) => {
      const askedAt = performance.now()
      const { status, code } = await readFailure(await ask())
      expect([name, status, code]).toEqual([name, 503, 5031])
      expect(performance.now() - askedAt).toBeLessThan(BOUND_MS)
    }),
  )
}

async function expectRecovery(): Promise<void> {
  await waitFor('readiness', async () => (await server.fetch('/ready')).status === 200, BOUND_MS)
  // Connections that failed often pause before they try again.
  await waitFor('all routes', async () => (await askAll()).every(({ status }) => status === 200), BOUND_MS)
  const name = `Recovered ${crypto.randomUUID().slice(0, 8)}`
  await person.json('PATCH', `/api/v1/private/games/${game.uid}`, { name })
  const isFound = async () => {
    const answer = await server.fetch(`/api/v1/public/search?q=${encodeURIComponent(name)}`, fromAnywhere())
    return (await readData<SearchAnswer>(answer)).items[0]?.name === name
  }
  await waitFor('the jobs run', isFound)
}

describe.each([
  // Its address refuses connections meanwhile, or accepts and closes them.
  ['is restarted', 'SIGINT', 'refuse'],
  ['is killed', 'SIGKILL', 'accept'],
] as const)('a Postgres that %s', (_, signal, meanwhile) => {
  test('makes routes unavailable meanwhile, and is used again without a restart', async () => {
    await expectAll(200)
    await endPostgres(signal)
    if (meanwhile === 'refuse') proxy.cut()
    await waitFor('the loss is noticed', async () => (await readPage()).status === 503, PROMPT_MS)
    // Every failed attempt to connect lengthens the pause before the next one.
    for (let round = 0; round < 3; round += 1) {
      await expectUnavailable()
      // What the checks found is remembered for a second.
      const unready = await waitFor(
        'unreadiness',
        async () => {
          const answer = await server.fetch('/ready')
          return answer.status === 503 && answer
        },
        BOUND_MS,
      )
      const { data } = await readFailure<Readiness>(unready)
      expect(data.services.find(({ name }) => name === 'database')?.status).toBe('down')
      expect((await server.fetch('/health')).status).toBe(200)
      await Bun.sleep(500)
    }
    await waitFor('the start of Postgres', () => startPostgres().catch(() => null))
    if (meanwhile === 'refuse') await proxy.restore()
    await expectRecovery()
  })
})

describe('a Postgres that is slow', () => {
  afterEach(() => proxy.delay(0))

  test('makes routes slow, and nothing stale', async () => {
    proxy.delay(150)
    await expectAll(200)
    const page = await readPage()
    expect((await readData<Listing>(page)).tagline).toBe('Changed.')
    expect((await server.fetch('/ready')).status).toBe(200)
  })

  test('too slow for its checks makes the process unready, until it is fast again', async () => {
    proxy.delay(4000)
    await waitFor('unreadiness', async () => (await server.fetch('/ready')).status === 503)
    proxy.delay(0)
    await expectRecovery()
  })
})
