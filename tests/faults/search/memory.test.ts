import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { insertPublicGame } from '../../helpers/listings.ts'
import { randomAddress, signUp } from '../../helpers/people.ts'
import { type ChildServer, createTempDir, startChild } from '../../helpers/processes/child.ts'
import { readMemory } from '../../helpers/processes/process-stats.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../../helpers/server.ts'

const SEARCHES = 3000
const GROWTH_MAX_MB = 100

let server: TestServer
let child: ChildServer
let dir: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  const owner = await signUp(server)
  const games = await Promise.all(Array.from({ length: 20 }, () => insertPublicGame(server, owner)))
  await indexNow(server, ...games.map(({ uid }) => uid))
  dir = await createTempDir('search-memory')
  child = await startChild({
    env: {
      ROLE: 'api',
      DATABASE_URL: server.databaseUrl,
      DATA_DIR: dir.path,
      SECRET_KEY: TEST_SECRET_KEY,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'info',
    },
  })
})
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
  await dir.remove()
  await server.stop()
})

/** About as long as a request line may be, and different in every parameter. */
function inventQuery(number: number): string {
  const long = (name: string) => `${name}${number}${'x'.repeat(1200)}`
  const texts = ['q', 'search', 'tags', 'exclude_tags', 'engine', 'renderer', 'genres', 'engine_version']
  return new URLSearchParams(Object.fromEntries(texts.map((name) => [name, long(name)]))).toString()
}

/** Many short values instead: each list as full as it may be. */
function inventLists(number: number): string {
  const values = Array.from({ length: 100 }, (_, at) => `v${number}-${at}`).join(',')
  return new URLSearchParams({ tags: values, exclude_tags: values, engine: values }).toString()
}

async function flood(from: number, count: number, invent: (number: number) => string): Promise<void> {
  let next = from
  const send = async () => {
    while (next < from + count) {
      const answer = await fetch(`${child.url}/api/v1/public/search?${invent(next++)}`, {
        headers: { 'x-forwarded-for': randomAddress() },
      })
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
}

describe('a flood of searches that are all different', () => {
  test.each([
    ['long values', inventQuery],
    ['long lists', inventLists],
  ])('%s leave the memory of the process as it was, but for a bounded cache', async (_, invent) => {
    await flood(0, 300, invent)
    const before = await readMemory(child.pid, 'VmRSS')
    await flood(300, SEARCHES, invent)
    const growth = (await readMemory(child.pid, 'VmRSS')) - before
    expect(growth).toBeLessThan(GROWTH_MAX_MB)
  })
})
