import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { listPartitions } from '../../../../src/features/telemetry/ingest/partition-queries.ts'
import { dropOldPartitions, preparePartitions } from '../../../../src/features/telemetry/ingest/partitions.ts'
import { insertBuild } from '../../../helpers/builds.ts'
import { makeEvent, readEvents, sendEvents } from '../../../helpers/ingest.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

const DAY = 24 * 60 * 60 * 1000

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
})
afterAll(() => server.stop())

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
