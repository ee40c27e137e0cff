import { beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { launchDevices, launchSessions } from '../../../../src/db/schema/telemetry.ts'
import type { HealthBand } from '../../../../src/domain/builds/health.ts'
import type { BuildHealth } from '../../../../src/features/telemetry/health/model.ts'
import { bandOf, updateRating } from '../../../../src/features/telemetry/health/rate-build.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { makeCrash, makeEvent, postAsGame, sendEvents } from '../../../helpers/ingest.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

describe('builds', () => {
  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  let game: GameRow
  beforeAll(async () => {
    owner = await signUp(server)
    game = await insertGame(server, owner)
  })

  interface Health {
    band: HealthBand
    devices: number
    boot_ok: number
    crashed: number
    median_session_s: number | null
  }

  let count = 0
  const newBuild = () => insertBuild(server, game.uid, { version: `1.${(count += 1)}.0` })
  const pathOf = (build: BuildRow) => `/api/v1/private/games/${build.gameUid}/builds/${build.uid}/health`
  const HOUR_AGO = Date.now() - 3_600_000
  const at = (seconds: number) => new Date(HOUR_AGO + seconds * 1000).toISOString()
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

  async function readJudged(build: BuildRow): Promise<Health> {
    await updateRating(server.deps, build.uid, new Date())
    return await readData<Health>(await owner.fetch(pathOf(build)))
  }

  async function report(build: BuildRow, values: Record<string, unknown>): Promise<void> {
    expect((await postAsGame(server, 'crashes', build, makeCrash(values))).status).toBe(202)
  }

  describe('launch health', () => {
    test('of a build that nobody has heard of is unrated', async () => {
      expect(await readData(await owner.fetch(pathOf(await newBuild())))).toEqual({
        band: 'unrated',
        devices: 0,
        boot_ok: 0,
        crashed: 0,
        left_out: 0,
        median_session_s: null,
      })
    })

    test.each<[HealthBand, devices: number, booted: number, crashed: number]>([
      ['unrated', 19, 19, 0],
      ['excellent', 20, 20, 0],
      ['excellent', 100, 99, 1],
      ['healthy', 100, 97, 3],
      ['mixed', 20, 18, 2],
      ['problematic', 20, 15, 2],
    ])(
      'is %s for %i devices, %i with boot_ok and %i crashed before it',
      async (band, devices, booted, crashed) => {
        const build = await newBuild()
        await sendEvents(server, build, [
          ...numbers(0, devices).map((n) => makeEvent({ name: 'started', device_id: `${n}` })),
          ...numbers(0, booted).map((n) => makeEvent({ device_id: `${n}` })),
          ...numbers(devices - crashed, devices).map((n) =>
            makeEvent({ name: 'crash', device_id: `${n}`, at: at(0) }),
          ),
        ])
        expect(await readJudged(build)).toMatchObject({ band, devices, boot_ok: booted, crashed })
      },
    )

    test('counts a device once, whatever it sends and however often', async () => {
      const build = await newBuild()
      const events = numbers(0, 20).map((n) =>
        makeEvent({ device_id: 'same', session_id: `${n}`, at: at(n) }),
      )
      await Promise.all(numbers(0, 10).map(() => sendEvents(server, build, events)))
      await report(build, { device_id: 'same', before_boot: false })
      await report(build, { device_id: 'only a report', before_boot: false })
      expect(await readJudged(build)).toMatchObject({ devices: 2, boot_ok: 1, crashed: 0 })
    })

    test('new data is judged by a job, once for everything that came within some seconds', async () => {
      const build = await newBuild()
      await Promise.all(
        numbers(0, 20).map((n) => sendEvents(server, build, [makeEvent({ device_id: `${n}` })])),
      )
      await report(build, {})
      const jobs = await server.deps.db.execute<{ run_at: Date }>(sql`
      select run_at from graphile_worker.jobs where task_identifier = 'health.judge' and key like ${`health:${build.uid}:%`}`)
      // Two when the seconds were over in between.
      expect([1, 2]).toContain(jobs.length)
      for (const { run_at } of jobs) expect(new Date(run_at).getTime() - Date.now()).toBeLessThan(40_000)
    })

    test('judged at the same time the later one stays', async () => {
      const build = await newBuild()
      await sendEvents(server, build, [makeEvent()])
      const [early, late] = [new Date(), new Date(Date.now() + 1000)]
      await updateRating(server.deps, build.uid, late)
      await sendEvents(server, build, [makeEvent({ device_id: 'second' })])
      await updateRating(server.deps, build.uid, early)
      expect(await readData(await owner.fetch(pathOf(build)))).toMatchObject({ devices: 1 })
    })

    test('a build that was deleted meanwhile is no fault', async () => {
      await updateRating(server.deps, createUid(), new Date())
    })
  })

  type Step = readonly [
    kind: 'boot_ok' | 'crash' | 'report' | 'late report',
    seconds: number,
    session?: string,
  ]

  describe('a crash counts when it came before the boot_ok of the session', () => {
    test.each<[string, crashed: number, Step[]]>([
      ['a crash alone', 1, [['crash', 10]]],
      ['a report alone', 1, [['report', 10]]],
      [
        'a crash before boot_ok',
        1,
        [
          ['crash', 10],
          ['boot_ok', 20],
        ],
      ],
      [
        'a crash after boot_ok',
        0,
        [
          ['boot_ok', 10],
          ['crash', 20],
        ],
      ],
      [
        'a crash after boot_ok that is told first',
        0,
        [
          ['crash', 20],
          ['boot_ok', 10],
        ],
      ],
      [
        'a crash before boot_ok that is told last',
        1,
        [
          ['boot_ok', 20],
          ['crash', 10],
        ],
      ],
      [
        'a report after boot_ok',
        0,
        [
          ['boot_ok', 10],
          ['report', 20],
        ],
      ],
      ['a report that says it was not before boot', 0, [['late report', 10]]],
      [
        'a crash in a session without boot_ok, after one with',
        1,
        [
          ['boot_ok', 10, 'first'],
          ['crash', 20, 'second'],
        ],
      ],
      [
        'crashes of two sessions',
        1,
        [
          ['crash', 10, 'first'],
          ['crash', 20, 'second'],
        ],
      ],
      [
        'two crashes, one on either side of boot_ok',
        1,
        [
          ['crash', 10],
          ['boot_ok', 20],
          ['crash', 30],
        ],
      ],
    ])('%s: %i', async (_, crashed, steps) => {
      const build = await newBuild()
      for (const [kind, seconds, session_id = 'session'] of steps) {
        const values = { session_id, at: at(seconds) }
        if (kind === 'boot_ok' || kind === 'crash')
          await sendEvents(server, build, [makeEvent({ ...values, name: kind })])
        else await report(build, { ...values, before_boot: kind === 'report' })
      }
      const booted = steps.some(([kind]) => kind === 'boot_ok') ? 1 : 0
      expect(await readJudged(build)).toMatchObject({ devices: 1, boot_ok: booted, crashed })
    })
  })

  describe('the median session', () => {
    const lasts = (session_id: string, ...seconds: number[]) =>
      seconds.map((second, index) => {
        const name =
          index === 0 ? 'session_start' : index === seconds.length - 1 ? 'session_end' : 'heartbeat'
        return makeEvent({ name, session_id, at: at(second) })
      })

    test.each([
      ['null without any', null, [makeEvent()]],
      ['from the first to the last sign of life', 300, lasts('a', 0, 60, 120, 300)],
      ['0 for a single sign of life', 0, lasts('a', 5)],
      ['the middle one', 60, [...lasts('a', 0, 10), ...lasts('b', 0, 60), ...lasts('c', 0, 999)]],
      ['between the middle two', 35, [...lasts('a', 0, 10), ...lasts('b', 0, 60)]],
      [
        'null for whatever else a name can be',
        null,
        ['__proto__', 'constructor'].map((name) => makeEvent({ name })),
      ],
      [
        'nothing of other events',
        10,
        [...lasts('a', 0, 10), makeEvent({ name: 'level_up', session_id: 'a', at: at(99) })],
      ],
    ])('is %s: %p', async (_, median, events) => {
      const build = await newBuild()
      await sendEvents(server, build, events)
      expect(await readJudged(build)).toMatchObject({ median_session_s: median })
    })
  })

  describe('the health of a build is told', () => {
    test('to admins and to agents with mcp:health.read', async () => {
      const build = await newBuild()
      const admin = await signUp(server)
      await insertAdmin(server, game.uid, admin, 'accepted')
      expect((await admin.fetch(pathOf(build))).status).toBe(200)
      const ask = async (scope: string) => {
        const { access_token } = await obtainToken(server, owner, scope)
        return await server.fetch(pathOf(build), { headers: { authorization: `Bearer ${access_token}` } })
      }
      expect((await ask('mcp:health.read')).status).toBe(200)
      expect(await readFailure(await ask('mcp:crash.read'))).toMatchObject({ status: 403, code: 4031 })
    })

    test('for builds of this game: another one is 404/4039', async () => {
      const foreign = await insertBuild(server, (await insertGame(server, owner)).uid)
      for (const uid of [foreign.uid, createUid(), 'none']) {
        const path = `/api/v1/private/games/${game.uid}/builds/${uid}/health`
        expect(await readFailure(await owner.fetch(path))).toMatchObject({ status: 404, code: 4039 })
      }
    })
  })
})

describe('figures', () => {
  const ROUNDS = 40

  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  let game: GameRow
  beforeAll(async () => {
    owner = await signUp(server)
    game = await insertGame(server, owner)
  })

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
      expect(shown.band).toBe(
        bandOf({ devices: shown.devices, bootOk: shown.boot_ok, crashed: shown.crashed }),
      )
    }
  })
})
