import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { playTimes } from '../../../../src/db/schema/games/game-players.ts'
import { playClocks } from '../../../../src/db/schema/ingest.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import { makeEvent, sendEvents } from '../../../helpers/ingest.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertLicense } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let server: TestServer
let game: GameRow
let build: BuildRow
let player: Person
let bearer: { authorization: string }
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
})
afterAll(() => server.stop())

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
    expect(await server.deps.db.select().from(playClocks).where(eq(playClocks.gameUid, game.uid))).toEqual([])
  })
})
