import { afterAll, beforeAll, expect, test } from 'bun:test'

import { openDatabase } from '../../src/db/client.ts'
import { insertBareGame } from '../helpers/bare-game.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts'
import { nested, WIDE } from '../helpers/hostile/hostile-json.ts'
import { randomAddress } from '../helpers/people.ts'
import { type ChildServer, createTempDir, startChild } from '../helpers/processes/child.ts'
import { readCpuSeconds, readMemory } from '../helpers/processes/process-stats.ts'
import { TEST_SECRET_KEY } from '../helpers/server.ts'

/**
 * One such body blocked the program for twelve seconds and took three gigabytes. Time in which a busy machine did not
 * run the program is not counted.
 */
const WAIT_MAX_MS = 3000
const GROWTH_MAX_MIB = 600

let database: TestDatabase
let dir: Awaited<ReturnType<typeof createTempDir>>
let child: ChildServer
let paths: string[]
beforeAll(async () => {
  database = await createTestDatabase()
  dir = await createTempDir('deep-json')
  const handle = openDatabase(database.url)
  const game = `/api/v1/extstore/${await insertBareGame(handle.db)}`
  await handle.dispose()
  paths = [`${game}/auth`, `${game}/refresh`, '/api/auth/sign-up/email', '/api/auth/oauth2/register']
  // The mode in which libraries explain the most, and the most expensively.
  const env = { NODE_ENV: 'development', ROLE: 'api', TRUST_PROXY: '1', SECRET_KEY: TEST_SECRET_KEY }
  child = await startChild({ env: { ...env, DATABASE_URL: database.url, DATA_DIR: dir.path } })
})
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
  await database.drop()
  await dir.remove()
})

test('the program as operators start it stays reachable under bodies made of brackets', async () => {
  const bodies = [nested(20_000), nested(100_000), nested(20_000, 'objects'), ...Object.values(WIDE)]
  const before = await readMemory(child.pid, 'VmHWM')
  const attack = Promise.all(
    paths.flatMap((path) =>
      bodies.map(async (body) => {
        const answer = await fetch(child.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': randomAddress() },
          body,
        })
        await answer.arrayBuffer()
        return answer.status
      }),
    ),
  )
  const waits: number[] = []
  const isOver = attack.then(() => true)
  while (!(await Promise.race([isOver, Bun.sleep(20).then(() => false)]))) {
    const [asked, used] = [performance.now(), await readCpuSeconds(child.pid)]
    expect((await fetch(`${child.url}/health`)).status).toBe(200)
    const worked = ((await readCpuSeconds(child.pid)) - used) * 1000
    waits.push(Math.min(performance.now() - asked, worked))
  }
  expect((await attack).filter((status) => status !== 400 && status !== 413)).toEqual([])
  expect(Math.max(0, ...waits)).toBeLessThan(WAIT_MAX_MS)
  expect((await readMemory(child.pid, 'VmHWM')) - before).toBeLessThan(GROWTH_MAX_MIB)
})
