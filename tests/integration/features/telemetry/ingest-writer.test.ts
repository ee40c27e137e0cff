import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Database } from '../../../../src/db/client.ts'
import type { EventRow } from '../../../../src/features/telemetry/ingest/queries.ts'
import { EventWriter } from '../../../../src/features/telemetry/ingest/writer.ts'
import { EventQuota } from '../../../../src/features/telemetry/quota/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { readEvents } from '../../../helpers/ingest.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let server: TestServer
let build: BuildRow
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  const game = await insertGame(server, await signUp(server))
  build = await insertBuild(server, game.uid)
})
afterAll(() => server.stop())

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
