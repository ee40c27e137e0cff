import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq, sql } from 'drizzle-orm'

import type { Database } from '../../../../src/db/client.ts'
import { playTimes } from '../../../../src/db/schema/games/game-players.ts'
import { playClocks } from '../../../../src/db/schema/telemetry.ts'
import { type EventRow, listPartitions } from '../../../../src/features/telemetry/ingest/queries.ts'
import {
  dropOldPartitions,
  EventWriter,
  preparePartitions,
} from '../../../../src/features/telemetry/ingest/writer.ts'
import { EventQuota } from '../../../../src/features/telemetry/quota/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import { makeEvent, readEvents, sendEvents } from '../../../helpers/ingest.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertLicense } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

describe('the writer', () => {
  const server = useStore({ TRUST_PROXY: '1' })
  let build: BuildRow
  beforeAll(async () => {
    const game = await insertGame(server, await signUp(server))
    build = await insertBuild(server, game.uid)
  })

  let keys = 0
  const makeRow = (values: Partial<EventRow> = {}): EventRow => ({
    buildUid: build.uid,
    deviceId: 'device',
    sessionId: 'session',
    name: 'boot_ok',
    at: Date.now(),
    key: String((keys += 1)),
    metadata: null,
    network: null,
    ...values,
  })
  const makeRows = (count: number) => Array.from({ length: count }, () => makeRow())
  const makeWriter = (db: Database) => new EventWriter(db, new EventQuota(server.deps))
  const senderOf = (buildUid: string) => ({ buildUid, gameUid: build.gameUid, network: '1' })
  /** A database of which only the beginning of transactions matters. */
  const databaseThat = (transaction: () => Promise<never>) => ({ transaction }) as unknown as Database

  describe('the writer of events', () => {
    test('writes requests that come together as one', async () => {
      let transactions = 0
      const counted: Pick<Database, 'transaction'> = {
        transaction: (work) => {
          transactions += 1
          return server.deps.db.transaction(work)
        },
      }
      const writer = makeWriter(counted as Database)
      await writer.write(senderOf(build.uid), makeRows(1))
      transactions = 0
      await Promise.all(Array.from({ length: 10 }, () => writer.write(senderOf(build.uid), makeRows(5))))
      expect(transactions).toBe(1)
      expect(await readEvents(server, build)).toHaveLength(51)
    })

    test('fails nobody for what is wrong with another request, nor for a build that is gone', async () => {
      const writer = makeWriter(server.deps.db)
      const before = (await readEvents(server, build)).length
      const gone = createUid()
      const outcomes = await Promise.allSettled([
        writer.write(senderOf(build.uid), makeRows(1)),
        writer.write(senderOf(build.uid), [makeRow({ key: 'no number' })]),
        writer.write(senderOf(gone), [makeRow({ buildUid: gone })]),
        writer.write(senderOf(build.uid), makeRows(1)),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
      expect(outcomes[2]).toMatchObject({ reason: { code: 4025 } })
      expect(await readEvents(server, build)).toHaveLength(before + 2)
    })

    test('tells everyone at once when the database is away, and goes on when it is back', async () => {
      let asked = 0
      const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      const writer = makeWriter(
        databaseThat(() => {
          asked += 1
          return Promise.reject(refused)
        }),
      )
      const send = () =>
        Promise.allSettled(Array.from({ length: 5 }, () => writer.write(senderOf(build.uid), makeRows(1))))
      for (const outcome of [...(await send()), ...(await send())]) {
        expect(outcome).toEqual({ status: 'rejected', reason: refused })
      }
      expect(asked).toBe(2)
    })

    test('holds 40,000 events at most; more are refused with 503/5031', async () => {
      const writer = makeWriter(databaseThat(() => new Promise(() => undefined)))
      const hundred = makeRows(100)
      for (let sent = 0; sent < 400; sent += 1) void writer.write(senderOf(build.uid), hundred)
      const [outcome] = await Promise.allSettled([writer.write(senderOf(build.uid), makeRows(1))])
      expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 503, code: 5031 } })
    })
  })
})

describe('partitions', () => {
  const DAY = 24 * 60 * 60 * 1000

  const server = useStore({ TRUST_PROXY: '1' })

  describe('the days of events', () => {
    test('are made from yesterday to three days ahead, by however many at once', async () => {
      const now = Date.parse('2026-02-27T23:59:59Z')
      const { db } = server.deps
      await Promise.all(Array.from({ length: 5 }, () => preparePartitions(db, now)))
      const days = ['2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']
      expect(await listPartitions(db)).toEqual(days)
      await preparePartitions(db, now + DAY)
      expect(await listPartitions(db)).toEqual([...days, '2026-03-03'])
    })

    test('are forgotten after 30 days', async () => {
      const { db } = server.deps
      expect(await dropOldPartitions(db, Date.parse('2026-03-29T00:00:00Z'))).toEqual(['2026-02-26'])
      expect(await dropOldPartitions(db, Date.parse('2026-03-30T23:59:59Z'))).toEqual(['2026-02-27'])
      expect(await listPartitions(db)).toEqual(['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'])
    })

    test('are made by who writes first, if nobody did before; each event lies in its own', async () => {
      const game = await insertGame(server, await signUp(server))
      const build = await insertBuild(server, game.uid)
      const times = [-1, 0, 1].map((days) => new Date(Date.now() + days * DAY).toISOString())
      await sendEvents(
        server,
        build,
        times.map((at) => makeEvent({ at })),
      )
      expect(await readEvents(server, build)).toHaveLength(3)
      const rows = await server.deps.db.execute<{ name: string }>(sql`
      select tableoid::regclass::text as name from ingest.events where build_uid = ${build.uid} order by 1`)
      const days = times.map((time) => `ingest.events_${time.slice(0, 10).replaceAll('-', '_')}`)
      expect(rows.map(({ name }) => name)).toEqual(days)
    })
  })
})

describe('play time', () => {
  const server = useStore({ TRUST_PROXY: '1' })
  let game: GameRow
  let build: BuildRow
  let player: Person
  let bearer: { authorization: string }

  async function startPlaying(): Promise<void> {
    game = await insertGame(server, await signUp(server), { visibility: 'public' })
    build = await insertBuild(server, game.uid)
    player = await signUp(server)
    bearer = await bearerOf(player)
  }

  const beat = (session_id = 'session', name = 'heartbeat') =>
    sendEvents(server, build, [makeEvent({ name, session_id })], bearer)

  async function readSeconds(): Promise<number> {
    const [row] = await server.deps.db
      .select()
      .from(playTimes)
      .where(and(eq(playTimes.gameUid, game.uid), eq(playTimes.userUid, player.uid)))
    return row?.seconds ?? 0
  }

  /** Seconds that really pass while a test runs count, too. */
  const SLACK = 60

  /** As if all that was heard so far had come earlier. */
  async function passMinutes(minutes: number): Promise<void> {
    const ofPlayer = eq(playClocks.userUid, player.uid)
    const [clock] = await server.deps.db.select().from(playClocks).where(ofPlayer)
    const ms = minutes * 60_000
    const sessions = (clock?.sessions ?? []).map(({ id, lastAt, heardAt }) => ({
      id,
      lastAt: lastAt - ms,
      heardAt: heardAt - ms,
    }))
    const creditedAt = (clock?.creditedAt ?? 0) - ms
    await server.deps.db.update(playClocks).set({ sessions, creditedAt }).where(ofPlayer)
  }

  describe('play time', () => {
    test('grows with the heartbeats of a player, and is shown in the library', async () => {
      await startPlaying()
      await insertLicense(server, game.uid, player)
      await beat()
      expect(await readSeconds()).toBe(0)
      for (const seconds of [180, 360]) {
        await passMinutes(3)
        await beat()
        expect(await readSeconds()).toBeWithin(seconds, seconds + SLACK)
      }
      const { items } = await readData<{ items: { play_minutes: number }[] }>(
        await player.fetch('/api/v1/private/library'),
      )
      expect(items).toMatchObject([{ play_minutes: 6 }])
    })

    test('grows by five minutes at most with each', async () => {
      await startPlaying()
      await beat()
      await passMinutes(90)
      await beat()
      expect(await readSeconds()).toBe(300)
    })

    test('is not made by sending many heartbeats at once', async () => {
      await startPlaying()
      const hours = Array.from({ length: 250 }, (_, n) =>
        makeEvent({ name: 'heartbeat', at: new Date(Date.now() - n * 300_000).toISOString() }),
      )
      await sendEvents(server, build, hours, bearer)
      await sendEvents(server, build, hours.toReversed(), bearer)
      expect(await readSeconds()).toBeLessThan(60)
    })

    test('is given once for what two sessions play at the same time, also in requests that come at once', async () => {
      await startPlaying()
      const sessions = Array.from({ length: 4 }, (_, n) => `session ${n}`)
      await Promise.all(sessions.map((session) => beat(session)))
      await passMinutes(2)
      await Promise.all(sessions.map((session) => beat(session)))
      expect(await readSeconds()).toBeWithin(120, 120 + SLACK)
    })

    test('needs a bearer, and heartbeats', async () => {
      await startPlaying()
      const send = (name: string, headers = {}) => sendEvents(server, build, [makeEvent({ name })], headers)
      await send('heartbeat')
      for (const name of ['boot_ok', 'session_start', 'session_end']) await send(name, bearer)
      expect(await server.deps.db.select().from(playClocks).where(eq(playClocks.gameUid, game.uid))).toEqual(
        [],
      )
    })
  })
})
