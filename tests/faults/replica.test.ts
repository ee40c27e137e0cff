import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { eq, sql } from 'drizzle-orm'

import type { EmbeddedPostgres } from '../../src/db/embedded/embedded.ts'
import { games } from '../../src/db/schema/games/games.ts'
import type { Card, Listing } from '../../src/features/catalog/pages/model.ts'
import type { Readiness } from '../../src/http/operations.ts'
import { bearerOf } from '../helpers/catalog.ts'
import { readData } from '../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../helpers/people.ts'
import { createTempDir } from '../helpers/processes/child.ts'
import { LOGGED, startPrimary, startReplica, type TestReplica } from '../helpers/processes/replica.ts'
import { behind, startTcpProxy, type TcpProxy } from '../helpers/processes/tcp-proxy.ts'
import { indexNow, searchFor } from '../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { PROMPT_MS, waitFor } from '../helpers/wait.ts'

/** A request that waits for a lost replica longer than this is too slow. */
const BOUND_MS = 5000

let dir: Awaited<ReturnType<typeof createTempDir>>
let primary: EmbeddedPostgres
let replica: TestReplica
let proxy: TcpProxy
const target = { host: '127.0.0.1', port: 0 }
/** Both read from the replica, through the proxy. */
let first: TestServer
let second: TestServer
let owner: Person
beforeAll(async () => {
  dir = await createTempDir('replica')
  primary = await startPrimary(dir.path)
  replica = await startReplica(join(dir.path, 'replica'), primary.url, LOGGED)
  aim()
  proxy = await startTcpProxy(target)
  const env = {
    TRUST_PROXY: '1',
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: behind(primary.url, proxy),
  }
  first = await startTestServer(env)
  second = await startTestServer(env)
  owner = await signUp(first)
})
afterAll(async () => {
  await second.stop()
  await first.stop()
  await proxy[Symbol.asyncDispose]()
  await replica.stop()
  await primary.stop()
  await dir.remove()
})
afterEach(async () => {
  // Fails on the promoted one.
  await replica.run('select pg_wal_replay_resume()').catch(() => undefined)
})

/** The replica has another port after each start. */
function aim(): void {
  target.port = Number(new URL(replica.url()).port)
}

async function untilUsed(...servers: TestServer[]): Promise<void> {
  for (const { deps } of servers) await waitFor('the replica is used', () => deps.replica?.current())
}

async function publish(values: Parameters<typeof insertPublicGame>[2] = {}): Promise<GameRow> {
  const name = `Game${crypto.randomUUID().slice(0, 8)}`
  const game = await insertPublicGame(first, owner, { name, ...values })
  await indexNow(first, game.uid)
  return game
}

async function get<Data>(server: TestServer, path: string): Promise<Data> {
  const answer = await server.fetch(path, { headers: { 'x-forwarded-for': randomAddress() } })
  expect(answer.status).toBe(200)
  return await readData<Data>(answer)
}

const readPage = (server: TestServer, { uid }: GameRow) => get<Listing>(server, `/api/v1/public/games/${uid}`)
const readChildren = async (server: TestServer, { uid }: GameRow) =>
  (await get<{ items: Card[] }>(server, `/api/v1/public/games/${uid}/children`)).items.map(({ name }) => name)
const readCard = async (server: TestServer, { name }: GameRow) =>
  (await searchFor(server, `q=${name}`)).items[0]

/** Of the replica alone: on a busy machine another service may have answered late. */
async function readStatus(server: TestServer): Promise<string | undefined> {
  const { services } = await readData<Readiness>(await server.fetch('/ready'))
  return services.find(({ name }) => name === 'replica')?.status
}

describe('a read replica', () => {
  const paths: readonly [what: string, path: (game: GameRow) => string, text: string][] = [
    ['a page', ({ uid }) => `/api/v1/public/games/${uid}`, 'from "game_similar_titles"'],
    ['a page of the website', ({ vanityName }) => `/games/${vanityName}`, 'from "game_similar_titles"'],
    ['cards of a search', ({ name }) => `/api/v1/public/search?q=${name}`, 'end, "parent"."uid"'],
    ['relations', ({ uid }) => `/api/v1/public/games/${uid}/relations`, 'from "game_dependencies"'],
    ['children', ({ uid }) => `/api/v1/public/games/${uid}/children`, 'parent_uid'],
    ['files', ({ uid }) => `/api/v1/public/user/${owner.uid}/games/${uid}/files`, 'from "channel_pointers"'],
    ['a developer', () => `/api/v1/public/user/${owner.uid}`, 'count(*) filter'],
    ['a shelf', () => '/api/v1/public/shelves/tonight', 'from "shelves"'],
    ['tags', () => `/api/v1/public/tags/popular?prefix=${randomPrefix()}`, 'from "tag_counts"'],
    ['the sitemap', () => '/api/v1/public/sitemap', '"games"."indexable"'],
  ]
  test.each(paths)('serves %s', async (_, pathOf, text) => {
    const before = await replica.countReads(text)
    await waitFor('the read', async () => {
      // Another one each time: on a busy machine the replica may be behind for a moment, and is not asked then.
      const game = await publish()
      await untilUsed(first)
      const headers = { 'x-forwarded-for': randomAddress() }
      expect((await first.fetch(pathOf(game), { headers })).status).toBe(200)
      return (await replica.countReads(text)) > before
    })
  })

  test('does not serve what someone signed in reads', async () => {
    await publish()
    await untilUsed(first)
    const before = first.deps.reads.counts().replica
    const headers = await bearerOf(owner)
    expect((await first.fetch(`/api/v1/public/user/${owner.uid}`, { headers })).status).toBe(200)
    expect(first.deps.reads.counts().replica).toBe(before)
  })

  test('cannot be written to', async () => {
    const game = await publish()
    await untilUsed(first)
    const name = 'Written'
    // Fails on the replica and is repeated on the primary.
    const isGame = eq(games.uid, game.uid)
    await first.deps.reads.shared(({ db }) => db.update(games).set({ name }).where(isGame))
    expect(await first.deps.db.select({ name: games.name }).from(games).where(isGame)).toEqual([{ name }])
  })

  test('is not used inside a transaction', async () => {
    await untilUsed(first)
    const read = first.deps.db.transaction(() =>
      first.deps.reads.shared(({ db }) => db.execute(sql`select 1`)),
    )
    const error = await read.then(
      () => null,
      (reason: Error) => reason.cause,
    )
    expect(String(error)).toContain('use the transaction')
  })
})

const randomPrefix = () => `p${crypto.randomUUID().slice(0, 8)}`

describe('while the replica is behind', () => {
  test('every process shows a change at once, and uses the replica again when it has caught up', async () => {
    const parent = await publish()
    // A process that finds a later listing has heard of this one.
    const later = await publish()
    await waitFor('the other process', async () => (await readCard(second, later))?.uid === later.uid)
    await untilUsed(first, second)
    await replica.run('select pg_wal_replay_pause()')
    for (const tagline of ['Once', 'Twice']) {
      const answer = await owner.json('PATCH', `/api/v1/private/games/${parent.uid}`, { tagline })
      expect(answer.status).toBe(200)
      for (const server of [first, second]) {
        expect((await readPage(server, parent)).tagline).toBe(tagline)
        expect((await readCard(server, parent))?.tagline).toBe(tagline)
      }
    }
    await replica.run('select pg_wal_replay_resume()')
    await untilUsed(first, second)
    const before = first.deps.reads.counts().replica
    await waitFor('it is read from', async () => {
      expect(await readChildren(first, parent)).toEqual([])
      return first.deps.reads.counts().replica > before
    })
  })

  test('a process shows its own change at once where nothing is confirmed, others when they are told', async () => {
    const parent = await publish()
    const child = await publish({ assetType: 'mod', parentUid: parent.uid })
    await untilUsed(first, second)
    await replica.run('select pg_wal_replay_pause()')
    for (const name of ['Once', 'Twice']) {
      const answer = await owner.json('PATCH', `/api/v1/private/games/${child.uid}`, { name })
      expect(answer.status).toBe(200)
      expect(await readChildren(first, parent)).toEqual([name])
      const isTold = async () => (await readChildren(second, parent))[0] === name
      await waitFor('the other process is told', isTold, PROMPT_MS)
    }
  })

  test('a page or card from it is confirmed, even if nobody was told of the change', async () => {
    const game = await publish()
    await untilUsed(first, second)
    await replica.run('select pg_wal_replay_pause()')
    await first.deps.db.update(games).set({ visibility: 'owner' }).where(eq(games.uid, game.uid))
    const before = first.deps.reads.counts().replica
    const answers = await Promise.all(
      [first, second].map((server) => server.fetch(`/api/v1/public/games/${game.uid}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect(await readCard(first, game)).toBeUndefined()
    expect(first.deps.reads.counts().replica).toBe(before)
  })

  test('a new page is found, even if nobody was told of it', async () => {
    await untilUsed(first)
    await replica.run('select pg_wal_replay_pause()')
    const game = await insertPublicGame(first, owner)
    expect((await readPage(first, game)).uid).toBe(game.uid)
  })

  test('a cache is not filled from it after a notification', async () => {
    const [parent, child] = [await publish(), await publish({ assetType: 'mod' })]
    await untilUsed(first, second)
    expect((await readPage(second, parent)).has_mods).toBe(false)
    await replica.run('select pg_wal_replay_pause()')
    await first.deps.db.update(games).set({ parentUid: parent.uid }).where(eq(games.uid, child.uid))
    await indexNow(first, parent.uid)
    await waitFor('the notification', async () => (await readPage(second, parent)).has_mods)
    await replica.run('select pg_wal_replay_resume()')
    expect((await readPage(second, parent)).has_mods).toBe(true)
  })

  test('what nobody is told of is at most a second old', async () => {
    const parent = await publish()
    await untilUsed(first)
    expect(await readChildren(first, parent)).toEqual([])
    await replica.run('select pg_wal_replay_pause()')
    const { name } = await insertPublicGame(first, owner, { assetType: 'mod', parentUid: parent.uid })
    await Bun.sleep(1000)
    expect(await readChildren(first, parent)).toEqual([name])
  })

  test('it is reported', async () => {
    await untilUsed(first)
    await waitFor('it is well', async () => (await readStatus(first)) === 'up')
    await replica.run('select pg_wal_replay_pause()')
    await publish()
    // On a busy machine it may be reported for a moment because it answered late.
    const isBehind = async () =>
      (await readStatus(first)) === 'down' && (first.deps.replica?.lagSeconds() ?? 0) > 5
    await waitFor('it is reported', isBehind)
    await replica.run('select pg_wal_replay_resume()')
    await waitFor('it is well', async () => (await readStatus(first)) === 'up')
  })
})

describe('no request fails', () => {
  /** Reads that no cache answers, until `work` has ended; returns the slowest. */
  async function readDuring(game: GameRow, work: () => Promise<void>): Promise<number> {
    let isDone = false
    let slowest = 0
    const read = async () => {
      while (!isDone) {
        const began = performance.now()
        await readChildren(first, game)
        slowest = Math.max(slowest, performance.now() - began)
        // Below what everyone together may ask for in a minute.
        await Bun.sleep(20)
      }
    }
    const reading = Promise.all(Array.from({ length: 8 }, read))
    await work().finally(() => (isDone = true))
    await reading
    return slowest
  }

  test('when the replica crashes under load; it is used again after its start', async () => {
    const game = await publish()
    await untilUsed(first)
    const slowest = await readDuring(game, async () => {
      await Bun.sleep(300)
      await replica.kill()
      await waitFor('it is reported', async () => (await readStatus(first)) === 'down')
      await replica.start()
      aim()
      await untilUsed(first)
      const before = first.deps.reads.counts().replica
      await waitFor('it is read from', () => first.deps.reads.counts().replica > before)
    })
    expect(slowest).toBeLessThan(BOUND_MS)
    await waitFor('it is well', async () => (await readStatus(first)) === 'up')
  })

  test('when its connections stop to respond', async () => {
    const game = await publish()
    await untilUsed(first)
    const slowest = await readDuring(game, async () => {
      await Bun.sleep(300)
      proxy.treat(() => 'freeze')
      await waitFor('it is reported', async () => (await readStatus(first)) === 'down')
      proxy.treat(() => 'cut')
      proxy.treat(() => 'forward')
      await untilUsed(first)
    })
    expect(slowest).toBeLessThan(BOUND_MS)
  })

  test('when replay cancels a read', async () => {
    const game = await publish()
    await replica.run('alter system set max_standby_streaming_delay = 0')
    await replica.run('select pg_reload_conf()')
    await untilUsed(first)
    const before = first.deps.reads.counts().primary
    const read = first.deps.reads.shared(async ({ db }) => {
      const seconds = sql`case when pg_is_in_recovery() then 60 else 0 end`
      await db.execute(sql`select pg_sleep(${seconds}) from games where uid = ${game.uid}`)
      return 'read'
    })
    await waitFor('the read', async () => {
      const sleeping = await replica.run("select 1 from pg_stat_activity where wait_event = 'PgSleep'")
      return sleeping.length > 0 || Bun.peek.status(read) !== 'pending'
    })
    await first.deps.db.transaction((tx) => tx.execute(sql`lock table games in access exclusive mode`))
    expect(await read).toBe('read')
    expect(first.deps.reads.counts().primary).toBe(before + 1)
    await replica.run('alter system reset max_standby_streaming_delay')
    await replica.run('select pg_reload_conf()')
  })
})

describe('a server is refused', () => {
  const readFault = async ({ deps }: TestServer) =>
    await deps.replica?.check().then(
      () => 'none',
      (error: Error) => error.message,
    )

  async function findFault(url: string): Promise<string> {
    const server = await startTestServer({ DATABASE_URL: primary.url, DATABASE_READ_URL: url })
    try {
      return await waitFor('an answer in time', async () => {
        const fault = await readFault(server)
        return !fault?.startsWith('no answer within') && fault
      })
    } finally {
      await server.stop()
    }
  }

  /** The replica has what was written before: the process knows of its own changes to listings only. */
  async function untilReplayed(): Promise<void> {
    await publish()
    await untilUsed(first)
  }

  function onReplica(change: (url: URL) => void): string {
    const url = new URL(replica.url())
    change(url)
    return url.href
  }

  test('if it is the primary', async () => {
    expect(await findFault(primary.url)).toContain('not a replica')
  })

  test('if it has another database', async () => {
    expect(await findFault(onReplica((url) => (url.pathname = '/postgres')))).toBe(
      'this database is not a Playshelf database',
    )
  })

  test('if it has the database of another installation', async () => {
    await first.deps.db.execute(sql`create database other`)
    const url = primary.url.replace(/playshelf$/, 'other')
    await (await startTestServer({ DATABASE_URL: url })).stop()
    await untilReplayed()
    expect(await findFault(onReplica((address) => (address.pathname = '/other')))).toBe(
      'this database belongs to another installation',
    )
  })

  test('if the address leads to several', async () => {
    const ports = [new URL(replica.url()).port, new URL(primary.url).port].map(Number)
    let connections = 0
    await using balancer = await startTcpProxy({
      host: '127.0.0.1',
      get port() {
        connections += 1
        return ports[connections % 2 === 1 ? 0 : 1] ?? 0
      },
    })
    expect(await findFault(behind(replica.url(), balancer))).toContain('several servers')
  })

  test('not if its user may only read', async () => {
    await first.deps.db.execute(sql`create role reader login password 'secret'`)
    await first.deps.db.execute(sql`grant select on all tables in schema public to reader`)
    await untilReplayed()
    const url = onReplica((address) => {
      address.username = 'reader'
      address.password = 'secret'
    })
    expect(await findFault(url)).toBe('none')
  })

  test('once it is promoted', async () => {
    const game = await publish()
    await untilUsed(first)
    await replica.run('select pg_promote()')
    await waitFor('it is reported', async () => (await readStatus(first)) === 'down')
    await waitFor('the reason', async () => (await readFault(first))?.includes('not a replica'))
    expect(first.deps.replica?.current()).toBeNull()
    expect((await readPage(first, game)).uid).toBe(game.uid)
  })
})
