import { afterAll, beforeAll, expect, test } from 'bun:test'

import { launchDevices, launchSessions } from '../../../../src/db/schema/ingest.ts'
import { bandOf } from '../../../../src/features/telemetry/health/bands.ts'
import type { BuildHealth } from '../../../../src/features/telemetry/health/model.ts'
import { updateRating } from '../../../../src/features/telemetry/health/rate-build.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

const ROUNDS = 40

let server: TestServer
let owner: Person
let game: GameRow
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  owner = await signUp(server)
  game = await insertGame(server, owner)
})
afterAll(() => server.stop())

interface Device {
  id: string
  network: bigint | null
  heardAt: Date
  booted: boolean
  crashed: boolean
}

const upTo = (count: number) => Math.floor(Math.random() * (count + 1))
const isLikely = (share: number) => Math.random() < share

/** Any number of networks, some with many devices, some devices of none. */
function makeDevices(): Device[] {
  const health = Math.random()
  const networks = Array.from({ length: upTo(30) }, () => (isLikely(0.2) ? upTo(60) : 1))
  const known = networks.flatMap((size, network) => Array.from({ length: size }, () => BigInt(network + 1)))
  const unknown = Array.from({ length: upTo(10) }, () => null)
  return [...known, ...unknown].map((network, at) => ({
    id: `${Math.random()} ${at}`,
    network,
    heardAt: new Date(Date.UTC(2026, 0, 1) + upTo(20) * 1000),
    booted: isLikely(0.7 + health / 2),
    crashed: isLikely((1 - health) / 4),
  }))
}

/** The rule once more, in plain steps. */
function countDevices(devices: readonly Device[]): Omit<BuildHealth, 'band' | 'median_session_s'> {
  const inOrder = devices.toSorted(
    (a, b) => a.heardAt.getTime() - b.heardAt.getTime() || (a.id < b.id ? -1 : 1),
  )
  const counted = inOrder.filter((device) => {
    if (device.network === null) return true
    const own = inOrder.filter(({ network }) => network === device.network)
    const others = devices.length - own.length
    return others < 20 || own.indexOf(device) < Math.floor(others / 5)
  })
  return {
    devices: counted.length,
    boot_ok: counted.filter(({ booted }) => booted).length,
    crashed: counted.filter(({ crashed }) => crashed).length,
    left_out: devices.length - counted.length,
  }
}

async function store({ uid: buildUid }: BuildRow, devices: readonly Device[]): Promise<void> {
  const at = new Date(Date.UTC(2026, 0, 1))
  await server.deps.db.insert(launchDevices).values(
    devices.map(({ id, network, heardAt, booted }) => ({
      buildUid,
      deviceId: id,
      network,
      heardAt,
      bootAt: booted ? at : null,
    })),
  )
  const crashes = devices.filter(({ crashed }) => crashed)
  if (crashes.length === 0) return
  await server.deps.db
    .insert(launchSessions)
    .values(crashes.map(({ id }) => ({ buildUid, deviceId: id, sessionId: 's', crashAt: at, heardAt: at })))
}

test('the band is always the one of the figures beside it, and these follow the rule', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const build = await insertBuild(server, game.uid, { version: `${round}.0.0` })
    const devices = makeDevices()
    if (devices.length > 0) await store(build, devices)
    await updateRating(server.deps, build.uid, new Date())
    const path = `/api/v1/private/games/${game.uid}/builds/${build.uid}/health`
    const shown = await readData<BuildHealth>(await owner.fetch(path))
    expect(shown).toMatchObject(countDevices(devices))
    expect(shown.band).toBe(bandOf({ devices: shown.devices, bootOk: shown.boot_ok, crashed: shown.crashed }))
  }
})
