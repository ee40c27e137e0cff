import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { insertPublicGame } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { type ChildServer, startChild } from '../../helpers/processes/child.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../../helpers/server.ts'
import { ATTACKS } from './attacks.ts'
import { besiege, type SiegeReport } from './siege.ts'

const LISTINGS = 40
/** What the attacks of a whole run may leave behind: caches that filled up, and a heap that grew with the load. */
const GROWTH_MIB = 400

let first: TestServer
let server: ChildServer
let report: SiegeReport
beforeAll(async () => {
  first = await startTestServer({ TRUST_PROXY: '1' })
  const owner = await signUp(first)
  for (let count = 0; count < LISTINGS; count += 1) await insertPublicGame(first, owner)
  await reindex(first.deps)
  server = await startChild({
    env: {
      DATABASE_URL: first.databaseUrl,
      DATA_DIR: first.dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'info',
      ROLE: 'all',
      EVENTS_PER_DAY: '50000',
    },
  })
  const { url, pid } = server
  report = await besiege(
    { url, pid, databaseUrl: first.databaseUrl },
    {
      quietSeconds: 3,
      seconds: 15,
      connections: 24,
      seed: 20_261_115,
      isNice: false,
    },
  )
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.exited
  await first.stop()
})

describe('a siege by the standing enemy', () => {
  test('brings no server error and no broken connection', () => {
    expect(report.enemy.faults).toEqual([])
    expect(Object.keys(report.enemy.kinds).toSorted()).toEqual(Object.keys(ATTACKS).toSorted())
  })

  test('lets every honest request succeed', () => {
    expect(report.quiet.failures).toEqual([])
    expect(report.besieged.failures).toEqual([])
    expect(report.besieged.times.length).toBeGreaterThan(100)
  })

  test('lets an honest developer publish and receive reports', () => {
    expect(report.publisher.failures).toEqual([])
    expect(report.publisher.webhooks.length).toBeGreaterThan(0)
  })

  test('does not fill the memory', () => {
    expect(report.memory.end - report.memory.quiet).toBeLessThan(GROWTH_MIB)
  })

  test('leaves no connection stuck in a transaction', () => {
    expect(report.stuckConnections).toBe(0)
  })
})
