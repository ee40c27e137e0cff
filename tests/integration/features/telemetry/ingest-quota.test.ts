import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { ingestQuotas } from '../../../../src/db/schema/ingest.ts'
import { EventQuota, forgetPastDays } from '../../../../src/features/telemetry/quota/service.ts'
import { dayOf } from '../../../../src/lib/utc-days.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { makeCrash, makeEvent, postAsGame, readEvents } from '../../../helpers/ingest.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { waitFor } from '../../../helpers/wait.ts'

/** A game may send 1,000 events or about 1 MB, a network 40 events or about 20 KB of them. */
const PER_DAY = 1000
const OF_NETWORK = 40
const KILOBYTE = 'x'.repeat(250)

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1', EVENTS_PER_DAY: String(PER_DAY) })
  owner = await signUp(server)
})
afterAll(() => server.stop())

let serial = 0
const newBuild = async () => await insertBuild(server, (await insertGame(server, owner)).uid)
const makeEvents = (count: number, metadata?: Record<string, string>) =>
  Array.from({ length: count }, () =>
    makeEvent({ session_id: `${(serial += 1)}`, ...(metadata && { metadata }) }),
  )
const addressIn = (network: number) => `20.${network >> 8}.${network & 255}.${(serial += 1) % 250}`

async function send(
  build: BuildRow,
  count: number,
  network: number,
  { metadata, to = server }: { metadata?: Record<string, string>; to?: TestServer } = {},
): Promise<Response> {
  const headers = { 'x-forwarded-for': addressIn(network) }
  return await postAsGame(to, 'events', build, { events: makeEvents(count, metadata) }, headers)
}

const readRefused = async (build: BuildRow) => {
  const rows = await server.deps.db.select().from(ingestQuotas).where(eq(ingestQuotas.gameUid, build.gameUid))
  const whole = rows.find(({ network }) => network === 0n)
  return { ofGame: whole?.refusedOfGame ?? 0, ofNetworks: whole?.refusedOfNetworks ?? 0 }
}

describe('the events of a day', () => {
  test('from one network end at its share: 429/4290 until midnight; other networks go on', async () => {
    const build = await newBuild()
    expect((await send(build, OF_NETWORK, 1)).status).toBe(202)
    const answer = await send(build, 1, 1)
    const failure = await readFailure(answer)
    expect(failure).toMatchObject({ status: 429, code: 4290 })
    expect(failure.message).toContain(
      'Your network has sent as much as it may in a day: 40 events or 20.5 KB.',
    )
    const untilMidnight = 24 * 60 * 60 - (Math.floor(Date.now() / 1000) % (24 * 60 * 60))
    expect(Math.abs(Number(answer.headers.get('retry-after')) - untilMidnight)).toBeLessThan(10)
    expect((await send(build, 1, 2)).status).toBe(202)
    expect(await readEvents(server, build)).toHaveLength(OF_NETWORK + 1)
  })

  test('count by their bytes too', async () => {
    const build = await newBuild()
    const metadata = { a: KILOBYTE, b: KILOBYTE, c: KILOBYTE, d: KILOBYTE }
    expect((await send(build, 15, 1, { metadata })).status).toBe(202)
    expect((await send(build, 15, 1, { metadata })).status).toBe(429)
    expect((await send(build, 5, 1)).status).toBe(202)
  })

  test('from all networks end at the quota of the game; another game goes on', async () => {
    const [build, other] = [await newBuild(), await newBuild()]
    for (let network = 1; network <= PER_DAY / OF_NETWORK; network += 1)
      expect((await send(build, OF_NETWORK, network)).status).toBe(202)
    const failure = await readFailure(await send(build, 1, 1000))
    expect(failure).toMatchObject({ status: 429, code: 4290 })
    expect(failure.message).toContain('This game has sent as much as it may in a day: 1000 events')
    expect((await send(other, 1, 1000)).status).toBe(202)
  })

  test('that come at once do not pass the quota together', async () => {
    const build = await newBuild()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(build, 10, 1)))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(OF_NETWORK / 10)
    expect(await readEvents(server, build)).toHaveLength(OF_NETWORK)
  })

  test('are counted in full, whichever of two writes is told last', async () => {
    const { gameUid } = await newBuild()
    const quota = new EventQuota(server.deps)
    const subject = { gameUid, network: null }
    const [now, bytes] = [Date.now(), 1]
    const first = await quota.add(server.deps.db, [{ ...subject, events: PER_DAY / 2, bytes }], now)
    const second = await quota.add(server.deps.db, [{ ...subject, events: PER_DAY / 2, bytes }], now)
    second()
    first()
    expect(() => quota.reserve(subject, { events: 1, bytes }, now)).toThrow('as much as it may in a day')
  })

  test('share the quota with crash reports and their logs', async () => {
    const build = await newBuild()
    const report = (values: object) =>
      postAsGame(server, 'crashes', build, makeCrash({ ...values, session_id: `${(serial += 1)}` }), {
        'x-forwarded-for': addressIn(1),
      })
    expect((await report({ log: KILOBYTE.repeat(60) })).status).toBe(202)
    const failure = await readFailure(await report({ log: KILOBYTE.repeat(60) }))
    expect(failure).toMatchObject({ status: 429, code: 4290 })
    const metadata = { a: KILOBYTE, b: KILOBYTE }
    expect((await send(build, 20, 1, { metadata })).status).toBe(429)
    expect((await send(build, 5, 1)).status).toBe(202)
  })

  test('that another process took are counted after the first write', async () => {
    const build = await newBuild()
    expect((await send(build, OF_NETWORK - 1, 1)).status).toBe(202)
    await server.deps.db
      .update(ingestQuotas)
      .set({ events: PER_DAY })
      .where(eq(ingestQuotas.gameUid, build.gameUid))
    expect((await send(build, 1, 2)).status).toBe(202)
    expect((await send(build, 1, 2)).status).toBe(429)
  })

  test('that were refused are shown in the studio, with the reason', async () => {
    const build = await newBuild()
    await send(build, OF_NETWORK, 1)
    await send(build, 30, 1)
    await send(build, 12, 1)
    await waitFor('the count of refused events', async () => (await readRefused(build)).ofNetworks === 42)
    for (const tab of ['health', 'crashes']) {
      const page = await (await owner.fetch(`/studio/${build.gameUid}/${tab}`, { redirect: 'follow' })).text()
      expect(page).toContain('42 events and crash reports of')
      expect(page).toContain('42 because one network may send 40 events or 20.5 KB of them.')
      expect(page).not.toContain('because a game may send')
    }
  })

  test('of earlier days are forgotten by the job', async () => {
    const build = await newBuild()
    const day = (days: number) => dayOf(Date.now() - days * 24 * 60 * 60 * 1000)
    await server.deps.db
      .insert(ingestQuotas)
      .values([0, 1, 2].map((days) => ({ gameUid: build.gameUid, day: day(days), network: 7n })))
    await forgetPastDays(server.deps.db, Date.now())
    const rows = await server.deps.db
      .select()
      .from(ingestQuotas)
      .where(eq(ingestQuotas.gameUid, build.gameUid))
    expect(rows.map((row) => row.day)).toEqual([day(0)])
  })
})
