import { beforeAll, describe, expect, test } from 'bun:test'

import { users } from '../../../src/db/schema/accounts.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { buildHealth, crashGroups, launchDevices } from '../../../src/db/schema/telemetry.ts'
import { loadDemoBuilds } from '../../../src/demo/builds.ts'
import { gameRow } from '../../../src/demo/catalog.ts'
import { DEMO_LISTINGS, DEVELOPERS } from '../../../src/demo/data.ts'
import { loadDemoTelemetry } from '../../../src/demo/usage.ts'
import { refreshShelves } from '../../../src/features/catalog/shelves/service.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { readData } from '../../helpers/json.ts'
import { insertCover } from '../../helpers/listings.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
beforeAll(async () => {
  await insertDemoGames()
  await loadDemoBuilds(server.deps)
})

/** The games of the demo, without their own pictures. */
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
