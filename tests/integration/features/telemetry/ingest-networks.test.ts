import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { buildHealth, launchDevices, launchSessions } from '../../../../src/db/schema/telemetry.ts'
import type { HealthBand } from '../../../../src/domain/builds/health.ts'
import { refreshShelves } from '../../../../src/features/catalog/shelves/service.ts'
import {
  bandOf,
  compactOldSessions,
  updateRating,
} from '../../../../src/features/telemetry/health/rate-build.ts'
import { type BuildRow, insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { makeCrash, makeEvent, postAsGame, sendEvents } from '../../../helpers/ingest.ts'
import { readData } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const at = (seconds: number) => new Date(Date.now() - 3_600_000 + seconds * 1000).toISOString()
/** One address in each of so many networks of the internet. */
const addressIn = (network: number) => `20.${network >> 8}.${network & 255}.7`

async function newBuild(): Promise<BuildRow> {
  const { uid } = await insertPublicGame(server, owner, { publishedAt: new Date() })
  const build = await insertBuild(server, uid)
  await insertFile(server, build)
  await pointChannel(server, build)
  return build
}

const start = (device_id: string, outcome: 'boot' | 'crash' | 'neither') =>
  makeEvent({
    device_id,
    name: outcome === 'boot' ? 'boot_ok' : outcome === 'crash' ? 'crash' : 'started',
    at: at(0),
  })

/** Each device from a network of its own. */
async function startElsewhere(
  build: BuildRow,
  devices: number,
  booted: number,
  crashed: number,
): Promise<void> {
  await Promise.all(
    numbers(devices).map((n) => {
      const outcome = n < booted ? 'boot' : n < booted + crashed ? 'crash' : 'neither'
      return sendEvents(server, build, [start(`honest ${n}`, outcome)], { 'x-forwarded-for': addressIn(n) })
    }),
  )
}

/** Made-up devices, all from addresses of one network. */
async function pretend(
  build: BuildRow,
  devices: number,
  outcome: 'boot' | 'crash',
  addressOf = (n: number) => `66.1.2.${n % 250}`,
): Promise<void> {
  const events = numbers(devices).map((n) => start(`made up ${n}`, outcome))
  for (let sent = 0; sent < devices; sent += 100) {
    await sendEvents(server, build, events.slice(sent, sent + 100), { 'x-forwarded-for': addressOf(sent) })
  }
}

interface Health {
  band: HealthBand
  devices: number
  boot_ok: number
  crashed: number
  left_out: number
}

/** Whatever was sent, the band follows from the figures beside it. */
async function readHealth(build: BuildRow): Promise<Health> {
  await updateRating(server.deps, build.uid, new Date())
  const path = `/api/v1/private/games/${build.gameUid}/builds/${build.uid}/health`
  const health = await readData<Health>(await owner.fetch(path))
  const { band, devices, boot_ok: bootOk, crashed } = health
  expect(band).toBe(bandOf({ devices, bootOk, crashed }))
  return health
}

async function isOnShelf(kind: string, { gameUid }: BuildRow): Promise<boolean> {
  await refreshShelves(server.deps, new Date())
  const answer = await server.fetch(`/api/v1/public/shelves/${kind}`)
  const { items } = await readData<{ items: { uid: string }[] }>(answer)
  return items.some(({ uid }) => uid === gameUid)
}

describe('a thousand devices of one network beside 40 of many', () => {
  test.each<[booted: number, crashed: number, outcome: 'boot' | 'crash']>([
    [40, 0, 'crash'],
    [38, 1, 'boot'],
    [34, 3, 'crash'],
    [20, 10, 'boot'],
  ])('beside %i with boot_ok and %i crashed, eight count: %p', async (booted, crashed, outcome) => {
    const build = await newBuild()
    await startElsewhere(build, 40, booted, crashed)
    expect(await readHealth(build)).toMatchObject({ devices: 40, boot_ok: booted, crashed, left_out: 0 })
    await pretend(build, 1000, outcome)
    const [boot_ok, crashes] = outcome === 'boot' ? [booted + 8, crashed] : [booted, crashed + 8]
    const health = await readHealth(build)
    expect(health).toMatchObject({ devices: 48, boot_ok, crashed: crashes, left_out: 992 })
    const listing = await readData(await server.fetch(`/api/v1/public/games/${build.gameUid}`))
    expect(listing).toMatchObject({ health: { band: health.band } })
  })

  test('IPv6: a /48 is one network', async () => {
    const build = await newBuild()
    await startElsewhere(build, 40, 40, 0)
    await pretend(build, 300, 'crash', (n) => `2a02:6b8:77:${n.toString(16)}::1`)
    expect(await readHealth(build)).toMatchObject({ devices: 48, crashed: 8, left_out: 292 })
  })

  test('crash reports are no way around it', async () => {
    const build = await newBuild()
    await startElsewhere(build, 40, 40, 0)
    for (const n of numbers(50)) {
      const crash = makeCrash({ device_id: `made up ${n}` })
      const answer = await postAsGame(server, 'crashes', build, crash, { 'x-forwarded-for': `66.1.2.${n}` })
      expect(answer.status).toBe(202)
    }
    expect(await readHealth(build)).toMatchObject({ devices: 48, crashed: 8, left_out: 42 })
  })
})

describe('a network', () => {
  test('counts for a fifth of the devices of all others', async () => {
    const build = await newBuild()
    await startElsewhere(build, 20, 20, 0)
    await pretend(build, 30, 'boot')
    const second = numbers(8).map((n) => start(`second ${n}`, n < 4 ? 'crash' : 'boot'))
    await sendEvents(server, build, second, { 'x-forwarded-for': '66.9.9.9' })
    // Five of the 30, because there are 28 others; all of the eight.
    const expected = { band: 'problematic', devices: 33, boot_ok: 29, crashed: 4, left_out: 25 } as const
    expect(await readHealth(build)).toMatchObject(expected)
  })

  test('counts in full while fewer than 20 devices of others were heard', async () => {
    const build = await newBuild()
    await pretend(build, 50, 'boot', () => '66.1.2.3')
    expect(await readHealth(build)).toMatchObject({
      band: 'excellent',
      devices: 50,
      boot_ok: 50,
      left_out: 0,
    })
    await startElsewhere(build, 19, 19, 0)
    expect(await readHealth(build)).toMatchObject({ devices: 69, left_out: 0 })
    await startElsewhere(build, 20, 20, 0)
    expect(await readHealth(build)).toMatchObject({ band: 'excellent', devices: 24, left_out: 46 })
  })

  test('the devices that were heard first are those that count', async () => {
    const build = await newBuild()
    const send = (names: string[], outcome: 'boot' | 'crash') =>
      sendEvents(
        server,
        build,
        names.map((name) => start(name, outcome)),
        { 'x-forwarded-for': '66.1.2.3' },
      )
    await send(['z1', 'z2', 'z3', 'z4'], 'boot')
    await send(
      numbers(46).map((n) => `a${n}`),
      'crash',
    )
    await startElsewhere(build, 22, 22, 0)
    expect(await readHealth(build)).toMatchObject({
      band: 'excellent',
      devices: 26,
      crashed: 0,
      left_out: 46,
    })
  })

  test('a build of an earlier version is rated again at night', async () => {
    const build = await newBuild()
    await startElsewhere(build, 20, 20, 0)
    await pretend(build, 50, 'crash')
    await readHealth(build)
    const stale = { band: 'excellent', devices: 70, crashed: 50, leftOut: null } as const
    await server.deps.db.update(buildHealth).set(stale).where(eq(buildHealth.buildUid, build.uid))
    await compactOldSessions(server.deps, new Date())
    const path = `/api/v1/private/games/${build.gameUid}/builds/${build.uid}/health`
    expect(await readData<Health>(await owner.fetch(path))).toMatchObject({ devices: 24, left_out: 46 })
  })

  test('is stored as a number that differs from game to game', async () => {
    const builds = [await newBuild(), await newBuild()]
    for (const build of builds) await pretend(build, 1, 'boot')
    const networks = await Promise.all(
      builds.map(async ({ uid }) => {
        const [row] = await server.deps.db.select().from(launchDevices).where(eq(launchDevices.buildUid, uid))
        return row?.network
      }),
    )
    expect(networks.every((network) => typeof network === 'bigint' && network > 2n ** 32n)).toBe(true)
    expect(networks[0]).not.toBe(networks[1])
  })

  test('has at most 1,000 devices of a build; events of more are accepted', async () => {
    const build = await newBuild()
    await pretend(build, 1300, 'crash')
    await startElsewhere(build, 3, 3, 0)
    expect(await readHealth(build)).toMatchObject({ devices: 1003, boot_ok: 3, crashed: 1000 })
  })

  test('crashed sessions of one device are folded into one', async () => {
    const build = await newBuild()
    const events = numbers(50).map((n) => ({ ...start('one', 'crash'), session_id: `${n}` }))
    await sendEvents(server, build, events)
    await updateRating(server.deps, build.uid, new Date())
    await compactOldSessions(server.deps, new Date(Date.now() + 4 * 24 * 60 * 60 * 1000))
    const ofBuild = eq(launchSessions.buildUid, build.uid)
    expect(await server.deps.db.$count(launchSessions, ofBuild)).toBe(1)
    expect(await readHealth(build)).toMatchObject({ devices: 1, crashed: 1 })
  })
})

describe('the shelves', () => {
  test('one network pushes no game off unheard_of; 50 players do', async () => {
    await server.deps.db.update(games).set({ visibility: 'invisible' })
    const build = await newBuild()
    await startElsewhere(build, 5, 5, 0)
    await pretend(build, 200, 'boot')
    await updateRating(server.deps, build.uid, new Date())
    expect(await isOnShelf('unheard_of', build)).toBe(true)
    await startElsewhere(build, 50, 50, 0)
    expect(await isOnShelf('unheard_of', build)).toBe(false)
    await updateRating(server.deps, build.uid, new Date())
    expect(await isOnShelf('unheard_of', build)).toBe(false)
  })
})
