import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { crashDevices, crashGroups, crashQuotas } from '../../../../src/db/schema/crashes.ts'
import { sweepOldCrashes } from '../../../../src/features/telemetry/crashes/sweep.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { makeCrash, makeEvent, postAsGame, sendEvents } from '../../../helpers/ingest.ts'
import { readData } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

const DAY = 24 * 60 * 60 * 1000
const NETWORKS = 5

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  owner = await signUp(server)
})
afterAll(() => server.stop())

const newBuild = async () => await insertBuild(server, (await insertGame(server, owner)).uid)
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
/** Each of so many senders has a network of their own, and addresses enough for the limit of requests. */
const addressOf = (network: number, n: number) => `20.0.${network}.${n % 250}`

async function report(build: BuildRow, values: object, address: string): Promise<string> {
  const answer = await postAsGame(server, 'crashes', build, makeCrash({ ...values }), {
    'x-forwarded-for': address,
  })
  expect(answer.status).toBe(202)
  return (await readData<{ crash_uid: string }>(answer)).crash_uid
}

/** So many reports from each network, one after the other. */
async function reportFrom(build: BuildRow, networks: number, each: number, make: (n: number) => object) {
  const uids: string[] = []
  for (const network of numbers(networks)) {
    for (const n of numbers(each)) {
      uids.push(await report(build, make(network * each + n), addressOf(network, n)))
    }
  }
  return uids
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
    const uids = await reportFrom(build, NETWORKS, 55, make)
    expect(await countLogs(build, uids.slice(0, 55))).toBe(50)
    expect(await countLogs(build, uids)).toBe(200)
    const { items } = await readGroups(build)
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(NETWORKS * 55)
    const other = await newBuild()
    expect(await countLogs(other, [await report(other, { log: 'x' }, addressOf(0, 0))])).toBe(1)
  })

  test('a report sent again gets the same answer and takes nothing', async () => {
    const build = await newBuild()
    const sent = { log: 'last words', at: new Date().toISOString() }
    const uids = await reportFrom(build, 1, 55, () => sent)
    expect(new Set(uids).size).toBe(1)
    expect(
      await countLogs(build, [await report(build, { session_id: 'x', log: 'x' }, addressOf(0, 0))]),
    ).toBe(1)
  })

  test('12.5 MiB a day of logs and stacks from one network; past it a stack has its top alone', async () => {
    const build = await newBuild()
    const frames = numbers(10).map((offset) => ({ module: 'game', offset }))
    const log = 'x'.repeat(512 * 1024)
    const uids = await reportFrom(build, 1, 26, (n) => ({ session_id: `${n}`, frames, log }))
    expect(await countLogs(build, uids)).toBe(24)
    const small = await report(build, { session_id: 'small', frames, log: 'y' }, addressOf(0, 0))
    expect(await readReport(build, small)).toMatchObject({ log: 'y', frames })
    const last = await readReport(build, uids[25] ?? '')
    expect(last).toMatchObject({ log: null, frames })
    const wide = numbers(200).map((offset) => ({ module: 'game', offset, function: 'f'.repeat(1000) }))
    const trimmed = await reportFrom(build, 1, 4, (n) => ({ session_id: `wide ${n}`, frames: wide }))
    expect((await readReport(build, trimmed[3] ?? '')).frames).toHaveLength(3)
  })
})

describe('kinds of crashes', () => {
  test('50 new ones a day from one network, 200 in all; the rest are one kind', async () => {
    const build = await newBuild()
    await reportFrom(build, NETWORKS, 55, (n) => ({ signature: `made up ${n}` }))
    await report(build, { signature: 'made up 0', session_id: 'again' }, addressOf(9, 9))
    const { total, items } = await readGroups(build)
    expect(total).toBe(201)
    expect(items.find(({ signature }) => signature === 'other kinds of crashes')).toMatchObject({ count: 75 })
    expect(await server.deps.db.$count(crashGroups)).toBeGreaterThan(200)
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
