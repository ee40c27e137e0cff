import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq, not } from 'drizzle-orm'

import { crashDevices, crashQuotas, ingestQuotas } from '../../../../src/db/schema/telemetry.ts'
import { sweepOldCrashes } from '../../../../src/features/telemetry/crashes/service.ts'
import { EventQuota, forgetPastDays } from '../../../../src/features/telemetry/quota/service.ts'
import { dayOf } from '../../../../src/lib/time.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { makeCrash, makeEvent, postAsGame, readEvents, sendEvents } from '../../../helpers/ingest.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import type { TestServer } from '../../../helpers/server.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

describe('crashes', () => {
  const DAY = 24 * 60 * 60 * 1000

  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

  const newBuild = async () => await insertBuild(server, (await insertGame(server, owner)).uid)
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  /** Each network has addresses enough for the limit of requests. */
  const addressOf = (network: number, n: number) => `20.0.${network}.${n % 250}`

  async function report(build: BuildRow, values: object, address: string): Promise<string> {
    const answer = await postAsGame(server, 'crashes', build, makeCrash({ ...values }), {
      'x-forwarded-for': address,
    })
    expect(answer.status).toBe(202)
    return (await readData<{ crash_uid: string }>(answer)).crash_uid
  }

  /** So many reports from one network, one after the other. */
  async function reportTimes(build: BuildRow, count: number, make: (n: number) => object): Promise<string[]> {
    const uids: string[] = []
    for (const n of numbers(count)) uids.push(await report(build, make(n), addressOf(0, n)))
    return uids
  }

  /** So much was spent today by the networks that have sent something, or by the game as a whole. */
  async function spend(
    { gameUid }: BuildRow,
    spent: { logs: number } | { kinds: number },
    by?: 'whole game',
  ) {
    const isWhole = eq(crashQuotas.network, 0n)
    await server.deps.db
      .update(crashQuotas)
      .set(spent)
      .where(and(eq(crashQuotas.gameUid, gameUid), by ? isWhole : not(isWhole)))
  }

  interface Report {
    log: string | null
    frames: object[]
  }

  interface Group {
    signature: string
    count: number
  }

  const pathOf = (build: BuildRow) => `/api/v1/private/games/${build.gameUid}/crashes`
  const readReport = async (build: BuildRow, uid: string) =>
    await readData<Report>(await owner.fetch(`${pathOf(build)}/${uid}`))
  const readGroups = async (build: BuildRow) =>
    await readData<{ items: Group[]; total: number }>(await owner.fetch(`${pathOf(build)}?page_size=50`))
  async function countLogs(build: BuildRow, uids: readonly string[]): Promise<number> {
    const reports = await Promise.all(uids.map((uid) => readReport(build, uid)))
    return reports.filter(({ log }) => log !== null).length
  }

  describe('the logs of a game', () => {
    test('50 a day from one network, 200 in all; the crashes count all the same', async () => {
      const build = await newBuild()
      const make = (n: number) => ({ signature: `kind ${n % 3}`, session_id: `${n}`, log: 'last words' })
      const uids = await reportTimes(build, 1, make)
      await spend(build, { logs: 48 })
      for (const n of numbers(4)) uids.push(await report(build, make(10 + n), addressOf(0, n)))
      expect(await countLogs(build, uids)).toBe(1 + 2)
      await spend(build, { logs: 198 }, 'whole game')
      for (const n of numbers(4)) uids.push(await report(build, make(20 + n), addressOf(1, n)))
      expect(await countLogs(build, uids)).toBe(1 + 2 + 2)
      const { items } = await readGroups(build)
      expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(uids.length)
      const other = await newBuild()
      expect(await countLogs(other, [await report(other, { log: 'x' }, addressOf(0, 0))])).toBe(1)
    })

    test('a report sent again gets the same answer and takes nothing', async () => {
      const build = await newBuild()
      const sent = { log: 'last words', at: new Date().toISOString() }
      const uids = await reportTimes(build, 1, () => sent)
      await spend(build, { logs: 49 })
      uids.push(...(await reportTimes(build, 3, () => sent)))
      expect(new Set(uids).size).toBe(1)
      expect(
        await countLogs(build, [await report(build, { session_id: 'x', log: 'x' }, addressOf(0, 0))]),
      ).toBe(1)
    })

    test('12.5 MiB a day of logs and stacks from one network; past it a stack has its top alone', async () => {
      const build = await newBuild()
      const frames = numbers(10).map((offset) => ({ module: 'game', offset }))
      const log = 'x'.repeat(512 * 1024)
      const uids = await reportTimes(build, 26, (n) => ({ session_id: `${n}`, frames, log }))
      expect(await countLogs(build, uids)).toBe(24)
      const small = await report(build, { session_id: 'small', frames, log: 'y' }, addressOf(0, 0))
      expect(await readReport(build, small)).toMatchObject({ log: 'y', frames })
      const last = await readReport(build, uids[25] ?? '')
      expect(last).toMatchObject({ log: null, frames })
      const wide = numbers(200).map((offset) => ({ module: 'game', offset, function: 'f'.repeat(1000) }))
      const trimmed = await reportTimes(build, 4, (n) => ({ session_id: `wide ${n}`, frames: wide }))
      expect((await readReport(build, trimmed[3] ?? '')).frames).toHaveLength(3)
    })
  })

  describe('kinds of crashes', () => {
    test('50 new ones a day from one network, 200 in all; the rest are one kind', async () => {
      const build = await newBuild()
      const make = (n: number) => report(build, { signature: `made up ${n}` }, addressOf(n < 20 ? 0 : 1, n))
      await make(0)
      await spend(build, { kinds: 48 })
      for (const n of numbers(4)) await make(10 + n)
      await spend(build, { kinds: 198 }, 'whole game')
      for (const n of numbers(4)) await make(20 + n)
      await report(build, { signature: 'made up 0', session_id: 'again' }, addressOf(9, 9))
      const { total, items } = await readGroups(build)
      expect(total).toBe(1 + 2 + 2 + 1)
      expect(items.find(({ signature }) => signature === 'other kinds of crashes')).toMatchObject({
        count: 4,
      })
      expect(items.find(({ signature }) => signature === 'made up 0')).toMatchObject({ count: 2 })
    })

    test('know no more devices than the build', async () => {
      const build = await newBuild()
      const devices = numbers(1000).map((n) => makeEvent({ device_id: `made up ${n}` }))
      await sendEvents(server, build, devices, { 'x-forwarded-for': addressOf(0, 0) })
      const before = await server.deps.db.$count(crashDevices)
      await report(build, { device_id: 'one more' }, addressOf(0, 1))
      expect(await server.deps.db.$count(crashDevices)).toBe(before)
      await report(build, { device_id: 'elsewhere' }, addressOf(1, 1))
      expect(await server.deps.db.$count(crashDevices)).toBe(before + 1)
    })
  })

  test('what was counted is forgotten after some days', async () => {
    expect(await server.deps.db.$count(crashQuotas)).toBeGreaterThan(0)
    await sweepOldCrashes(server.deps, new Date(Date.now() + 3 * DAY))
    expect(await server.deps.db.$count(crashQuotas)).toBe(0)
  })
})

describe('events', () => {
  /** A game may send 1,000 events or about 1 MB, a network 40 events or about 20 KB of them. */
  const PER_DAY = 1000
  const OF_NETWORK = 40
  const KILOBYTE = 'x'.repeat(250)

  const server = useStore({ TRUST_PROXY: '1', EVENTS_PER_DAY: String(PER_DAY) })
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

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
    const rows = await server.deps.db
      .select()
      .from(ingestQuotas)
      .where(eq(ingestQuotas.gameUid, build.gameUid))
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
        const page = await (
          await owner.fetch(`/studio/${build.gameUid}/${tab}`, { redirect: 'follow' })
        ).text()
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
})
