import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { users } from '../../../src/db/schema/accounts.ts'
import { crashGroups } from '../../../src/db/schema/crashes.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { buildHealth, launchDevices } from '../../../src/db/schema/ingest.ts'
import { loadDemoBuilds } from '../../../src/demo/builds.ts'
import { gameRow } from '../../../src/demo/catalog-rows.ts'
import { DEMO_LISTINGS } from '../../../src/demo/listings/all.ts'
import { DEVELOPERS } from '../../../src/demo/people.ts'
import { loadDemoTelemetry } from '../../../src/demo/telemetry.ts'
import { refreshShelves } from '../../../src/features/catalog/shelves/refresh.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { readData } from '../../helpers/json.ts'
import { insertCover } from '../../helpers/listings.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  await insertDemoGames()
  await loadDemoBuilds(server.deps)
})
afterAll(() => server.stop())

/** The games of the demo, without the pictures that take so long to draw. */
async function insertDemoGames(): Promise<void> {
  const { db } = server.deps
  const people = new Map(Object.keys(DEVELOPERS).map((name) => [name, createUid()]))
  const person = (username: string) => ({ id: people.get(username) ?? '', username, emailVerified: true })
  await db
    .insert(users)
    .values(Object.entries(DEVELOPERS).map(([username, facts]) => ({ ...person(username), ...facts })))
  const known = {
    now: new Date(),
    uidOf: () => createUid(),
    personOf: (name: string) => people.get(name) ?? '',
  }
  const rows = DEMO_LISTINGS.filter(({ assetType }) => assetType === 'game').map((one) => gameRow(one, known))
  const pages = await db.insert(games).values(rows).returning({ uid: games.uid })
  for (const { uid } of pages) await insertCover(server, uid)
}

describe('what demo players told', () => {
  test('is there once, however often it is loaded', async () => {
    const heard = await loadDemoTelemetry(server.deps)
    expect(heard).toBeGreaterThan(20)
    const devices = await server.deps.db.$count(launchDevices)
    expect(await loadDemoTelemetry(server.deps)).toBe(0)
    expect(await server.deps.db.$count(launchDevices)).toBe(devices)
  })

  test('gives builds of several bands, and crashes', async () => {
    const rows = await server.deps.db.select().from(buildHealth)
    const bands = new Set(rows.map(({ band }) => band))
    for (const band of ['excellent', 'healthy', 'unrated'] as const) expect(bands).toContain(band)
    expect(await server.deps.db.$count(crashGroups)).toBeGreaterThan(5)
  })

  test('fills both shelves', async () => {
    await refreshShelves(server.deps, new Date())
    for (const kind of ['tonight', 'unheard_of']) {
      const answer = await server.fetch(`/api/v1/public/shelves/${kind}`)
      const { items } = await readData<{ items: unknown[] }>(answer)
      expect(items.length).toBeGreaterThan(3)
    }
  })
})
