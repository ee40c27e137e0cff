import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { builds } from '../../../../src/db/schema/builds.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { buildHealth, launchDevices, launchSessions } from '../../../../src/db/schema/telemetry.ts'
import type { HealthBand } from '../../../../src/domain/builds/health.ts'
import { refreshShelves } from '../../../../src/features/catalog/shelves/service.ts'
import {
  bandOf,
  compactOldSessions,
  updateRating,
} from '../../../../src/features/telemetry/health/rate-build.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type BuildRow, insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import { makeCrash, makeEvent, postAsGame, readEvents, sendEvents } from '../../../helpers/ingest.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person

describe('events', () => {
  let game: GameRow
  let build: BuildRow
  beforeAll(async () => {
    owner = await signUp(server)
    game = await insertGame(server, owner)
  })

  let count = 0
  const newBuild = () => insertBuild(server, game.uid, { version: `1.${(count += 1)}.0` })
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    postAsGame(server, 'events', build, body, headers)
  const keys = (number: number) =>
    Object.fromEntries(Array.from({ length: number }, (_, index) => [`key_${index}`, index]))

  describe('events', () => {
    beforeAll(async () => {
      build = await newBuild()
    })

    test('are accepted with 202 and kept as they came', async () => {
      const at = new Date(Date.now() - 60_000).toISOString()
      const metadata = { level: 3, mode: 'hard "x" {y}, \\z', paused: false }
      const answer = await send({
        events: [makeEvent({ at }), makeEvent({ name: 'level.up_2', at, metadata })],
      })
      expect(answer.status).toBe(202)
      expect(await readData(answer)).toEqual({ accepted: 2 })
      const kept = { device_id: 'device', session_id: 'session', at }
      expect(await readEvents(server, build)).toEqual([
        { name: 'boot_ok', ...kept, metadata: null },
        { name: 'level.up_2', ...kept, metadata },
      ])
    })

    test.each([
      ['100 events', { events: Array.from({ length: 100 }, () => makeEvent()) }, 100],
      ['32 metadata keys', { events: [makeEvent({ metadata: keys(32) })] }, 1],
      ['a name of 64 characters', { events: [makeEvent({ name: 'a'.repeat(64) })] }, 1],
      ['a value of 256 characters', { events: [makeEvent({ metadata: { text: 'x'.repeat(256) } })] }, 1],
      [
        'ids of 128 characters',
        { events: [makeEvent({ device_id: 'd'.repeat(128), session_id: 's'.repeat(128) })] },
        1,
      ],
      ['a time with an offset', { events: [makeEvent({ at: '2026-01-31T12:00:00+02:00' })] }, 1],
    ])('%s are taken', async (_, body, accepted) => {
      const answer = await send(body)
      expect(answer.status).toBe(202)
      expect(await readData(answer)).toEqual({ accepted })
    })

    test.each([
      ['101 events', { events: Array.from({ length: 101 }, () => makeEvent()) }],
      ['33 metadata keys in one event', { events: [makeEvent(), makeEvent({ metadata: keys(33) })] }],
      ['101 events of which one is wrong', { events: Array.from({ length: 101 }, () => ({})) }],
    ])('%s are 413/4130', async (_, body) => {
      expect(await readFailure(await send(body))).toMatchObject({ status: 413, code: 4130 })
    })

    test.each([
      ['an empty list', { events: [] }],
      ['no list', {}],
      ['a list as the body', []],
      ['an unknown field', { events: [makeEvent()], extra: 1 }],
      ['an unknown field of an event', { events: [{ ...makeEvent(), extra: 1 }] }],
      ['a name with a capital letter', { events: [makeEvent({ name: 'Boot' })] }],
      ['an empty name', { events: [makeEvent({ name: '' })] }],
      ['a name of 65 characters', { events: [makeEvent({ name: 'a'.repeat(65) })] }],
      ['an empty device_id', { events: [makeEvent({ device_id: '' })] }],
      ['no session_id', { events: [{ name: 'boot_ok', device_id: 'd', at: new Date().toISOString() }] }],
      ['a session_id of 129 characters', { events: [makeEvent({ session_id: 's'.repeat(129) })] }],
      ['a time that is none', { events: [makeEvent({ at: 'yesterday' })] }],
      ['a time without its zone', { events: [makeEvent({ at: '2026-01-31T12:00:00' })] }],
      ['a leap second', { events: [makeEvent({ at: '2016-12-31T23:59:60Z' })] }],
      ['a value of 257 characters', { events: [makeEvent({ metadata: { text: 'x'.repeat(257) } })] }],
      ['null as a value', { events: [makeEvent({ metadata: { nothing: null } })] }],
      ['a list as a value', { events: [makeEvent({ metadata: { list: [1] } })] }],
    ])('%s is 400/4000', async (_, body) => {
      const failure = await readFailure<{ issues: unknown[] }>(await send(body))
      expect(failure).toMatchObject({ status: 400, code: 4000 })
      expect(failure.data.issues.length).toBeGreaterThan(0)
    })

    test('a fault in one event refuses the request whole, and tells which', async () => {
      build = await newBuild()
      const failure = await readFailure(await send({ events: [makeEvent(), makeEvent({ name: 'No!' })] }))
      expect(failure).toMatchObject({
        status: 400,
        code: 4000,
        data: { issues: [{ path: 'events.1.name' }] },
      })
      expect(await readEvents(server, build)).toEqual([])
    })

    test('their time is clamped to 24 hours around now', async () => {
      build = await newBuild()
      const before = Date.now()
      const events = [makeEvent({ at: '1970-01-01T00:00:00Z' }), makeEvent({ at: '2999-01-01T00:00:00Z' })]
      expect((await send({ events })).status).toBe(202)
      const day = 24 * 60 * 60 * 1000
      const [past, future] = (await readEvents(server, build)).map(({ at }) => Date.parse(at))
      expect(past).toBeGreaterThanOrEqual(before - day)
      expect(past).toBeLessThanOrEqual(Date.now() - day)
      expect(future).toBeGreaterThanOrEqual(before + day)
      expect(future).toBeLessThanOrEqual(Date.now() + day)
    })

    test('sent again they are accepted and kept once, whatever their clock says', async () => {
      build = await newBuild()
      const events = [
        makeEvent(),
        makeEvent({ at: '1970-01-01T00:00:00Z' }),
        makeEvent({ session_id: 'other' }),
      ]
      for (const body of [{ events }, { events: [...events, ...events] }]) {
        expect(await readData(await send(body))).toEqual({ accepted: body.events.length })
      }
      expect(await readEvents(server, build)).toHaveLength(3)
    })

    test('the same ones from many requests at once are kept once', async () => {
      build = await newBuild()
      const events = Array.from({ length: 50 }, (_, index) => makeEvent({ device_id: `device ${index}` }))
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => send({ events: events.toReversed() })),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(202))
      expect(await readEvents(server, build)).toHaveLength(50)
    })

    test('a game may be named by its vanity name too, and be a draft', async () => {
      expect((await send({ events: [makeEvent()] }, { 'x-app-id': game.vanityName })).status).toBe(202)
    })
  })

  describe.each(['events', 'crashes'] as const)('who sends %s', (path) => {
    const body = path === 'events' ? { events: [makeEvent()] } : makeCrash()
    const post = (headers: Record<string, string>, sent: unknown = body) =>
      postAsGame(server, path, build, sent, headers)

    test.each([
      ['without X-App-Id', async () => ({ 'x-app-id': '' })],
      ['without X-Build-Id', async () => ({ 'x-build-id': '' })],
      ['with an unknown game', async () => ({ 'x-app-id': createUid() })],
      ['with an unknown build', async () => ({ 'x-build-id': createUid() })],
      ['with a build that is no uid', async () => ({ 'x-build-id': '1.0.0' })],
      ['with the build of another game', async () => ({ 'x-app-id': (await insertGame(server, owner)).uid })],
    ])('%s is 401/4025, whatever the body', async (_, makeHeaders) => {
      const headers = await makeHeaders()
      for (const sent of [body, {}]) {
        expect(await readFailure(await post(headers, sent))).toMatchObject({ status: 401, code: 4025 })
      }
    })

    test('a build that was deleted since is 401/4025, and fails nobody else', async () => {
      const [gone, other] = [await newBuild(), await newBuild()]
      expect((await postAsGame(server, path, gone, body)).status).toBe(202)
      await server.deps.db.delete(builds).where(eq(builds.uid, gone.uid))
      const answers = await Promise.all([gone, other].map((sender) => postAsGame(server, path, sender, body)))
      expect(answers.map(({ status }) => status)).toEqual([401, 202])
    })

    test('a bad bearer is 401/4010, a good one is taken', async () => {
      const headers = { authorization: 'Bearer svc_play_nothing' }
      expect(await readFailure(await post(headers))).toMatchObject({ status: 401, code: 4010 })
      expect((await post(await bearerOf(owner))).status).toBe(202)
    })

    test('another content type is 415/4150', async () => {
      expect(await readFailure(await post({ 'content-type': 'text/plain' }))).toMatchObject({
        status: 415,
        code: 4150,
      })
    })
  })

  test('events and crashes share 60 requests a minute per address', async () => {
    const headers = { 'x-forwarded-for': randomAddress() }
    for (let sent = 0; sent < 60; sent += 1) {
      const isEvent = sent % 2 === 0
      const answer = isEvent
        ? await send({ events: [makeEvent()] }, headers)
        : await postAsGame(server, 'crashes', build, makeCrash(), headers)
      expect(answer.status).toBe(202)
      expect(answer.headers.get('ratelimit-remaining')).toBe(String(59 - sent))
    }
    for (const path of ['events', 'crashes'] as const) {
      const answer = await postAsGame(server, path, build, {}, { ...headers, 'x-app-id': '' })
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await readFailure(answer)).toMatchObject({ status: 429, code: 4290 })
    }
  })
})

describe('networks', () => {
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
          const [row] = await server.deps.db
            .select()
            .from(launchDevices)
            .where(eq(launchDevices.buildUid, uid))
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
})
