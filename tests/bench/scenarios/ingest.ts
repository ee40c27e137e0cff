import { join } from 'node:path'

import postgres from 'postgres'

import { openDatabase } from '../../../src/db/client.ts'
import { apps, builds } from '../../../src/db/schema/builds.ts'
import { preparePartitions } from '../../../src/features/telemetry/ingest/writer.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { readMemory } from '../../helpers/processes/process-stats.ts'
import { type Environment, ROOT, startServerProcess } from '../environment.ts'
import type { IngestResult, IngestTask } from '../ingest-child.ts'
import { judge, median, summarise } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

const CHILD = join(import.meta.dir, '../ingest-child.ts')
const CONNECTIONS = 64
/** The maximum number of rows the server writes in one statement. */
const ROWS = 4000

export const ingest: Scenario = {
  name: 'ingest',
  about:
    'events over HTTP, 100 to a request, against the bare unnest insert of such rows into the same table',
  async run(environment) {
    const sender = await insertSender(await environment.databaseUrl())
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: await environment.settings({ TRUST_PROXY: '1', EVENTS_PER_DAY: '1000000000' }),
    })
    try {
      const { warmUpSeconds, seconds, rounds } = environment.pace
      const send = (duration: number) =>
        sendEvents({ url: server.url, ...sender, connections: CONNECTIONS, seconds: duration })
      await send(warmUpSeconds)
      const measured = []
      while (measured.length < rounds) {
        const bare = await insertBare(environment, sender.buildUid, seconds)
        const over = await send(seconds)
        measured.push({ bare, http: over.events / over.seconds, latencyMs: summarise(over.latenciesMs) })
      }
      return [
        judge({
          scenario: 'ingest',
          measure: 'events per second',
          unit: 'events',
          subject: median(measured.map(({ http }) => http)),
          baseline: median(measured.map(({ bare }) => bare)),
          ratio: median(measured.map(({ http, bare }) => http / bare)),
          target: { of: 'ratio', must: 'reach', value: 0.5 },
          details: { rounds: measured, peakRssMb: await readMemory(server.pid, 'VmHWM') },
        }),
      ]
    } finally {
      await server.stop()
    }
  },
}

async function insertSender(databaseUrl: string): Promise<{ gameUid: string; buildUid: string }> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  try {
    const { db } = database
    const [buildUid, appUid] = [createUid(), createUid()]
    const gameUid = await insertBareGame(db)
    await db.insert(apps).values({ uid: appUid, gameUid, slug: 'main', name: 'main' })
    const platform = {
      version: '1.0.0',
      buildType: 'game',
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
    } as const
    await db.insert(builds).values({ uid: buildUid, gameUid, appUid, ...platform })
    await preparePartitions(db, Date.now())
    return { gameUid, buildUid }
  } finally {
    await database.dispose()
  }
}

async function sendEvents(task: IngestTask): Promise<IngestResult> {
  const child = Bun.spawn([process.execPath, CHILD, JSON.stringify(task)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [out, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`The load process ended with ${code}`)
  return JSON.parse(out)
}

/** The rate of plain inserts, without checks, grouping or counts, in rows per second. */
async function insertBare(environment: Environment, buildUid: string, seconds: number): Promise<number> {
  const sql = postgres(await environment.databaseUrl(), { max: 1, onnotice: () => undefined })
  const columns = Array.from({ length: ROWS }, (_, index) => index)
  const text = (make: (index: number) => string) => columns.map(make)
  const [names, devices, metadata] = [
    text((index) => `event_${index % 6}`),
    text((index) => `device ${index}`),
    columns.map((index) => (index % 4 === 0 ? '{"level":4,"mode":"hard","paused":false}' : null)),
  ]
  const at = text(() => new Date().toISOString())
  const buildUids = text(() => buildUid)
  try {
    await sql`select 1`
    const started = performance.now()
    let rows = 0
    while (performance.now() - started < seconds * 1000) {
      const keys = text(() => crypto.getRandomValues(new BigInt64Array(1)).join())
      await sql`
        insert into ingest.events (day, key, build_uid, device_id, session_id, name, at, metadata)
        select at::date, key, build_uid, device_id, 'session-1', name, at, metadata::jsonb
        from unnest(${keys}::bigint[], ${buildUids}::uuid[], ${devices}::text[], ${names}::text[], ${at}::timestamptz[],
          ${metadata}::text[]) as event (key, build_uid, device_id, name, at, metadata)`
      rows += ROWS
    }
    return rows / ((performance.now() - started) / 1000)
  } finally {
    await sql.end()
  }
}
