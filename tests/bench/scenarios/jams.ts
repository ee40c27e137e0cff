import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { type DatabaseHandle, openDatabase } from '../../../src/db/client.ts'
import { computeDue } from '../../../src/features/jams/results/compute.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { ROOT } from '../environment.ts'
import { ENTRIES, insertBenchJam, JAM, RATINGS, VOTERS } from '../jams-data.ts'
import { judge, type Line } from '../report/line.ts'
import { summarise } from '../report/statistics.ts'
import { createCatalogSettings } from '../search-data.ts'
import { startServerProcess } from '../server-process.ts'
import type { Scenario } from './scenario.ts'

/** Accounts with a session, each with an entry. */
const PEOPLE = 20
const WARM_UP = 40
const REQUESTS = 300
const QUEUE_MS = 30
const RATING_MS = 30
const ENTRIES_MS = 50
const RESULTS_S = 5
const PRIVATE = `/api/v1/private/jams/${JAM}`
/** Temporary tables belong to their connection. */
const ONE_CONNECTION = 1

export const jams: Scenario = {
  name: 'jams',
  about: `the queue, a rating, the list of entries and the results of a jam with ${ENTRIES} entries and ${RATINGS} ratings of ${VOTERS} voters`,
  async run(environment) {
    const settings = await createCatalogSettings(environment)
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    const database = openDatabase(settings['DATABASE_URL'] ?? '', { maxConnections: ONE_CONNECTION })
    try {
      const reachable = {
        url: server.url,
        fetch: (path: string, init?: RequestInit) => fetch(server.url + path, init),
      }
      const people: Person[] = []
      for (let index = 0; index < PEOPLE; index += 1) people.push(await signUp(reachable))
      await insertBenchJam(
        database.db,
        people.map(({ uid }) => uid),
      )
      return [...(await measureVoters(people, database)), await measureResults(database)]
    } finally {
      await database.dispose()
      await server.stop()
    }
  },
}

async function measureVoters(people: readonly Person[], { db }: DatabaseHandle): Promise<Line[]> {
  const owners = sql.param(people.map(({ uid }) => uid))
  const games = await db.execute<{ uid: string }>(sql`
    select game_uid as uid from jam_entries where received > 0 and submitted_by <> all(${owners}::uuid[])
    order by uid limit ${WARM_UP + REQUESTS}`)
  const personOf = (turn: number) => people[turn % people.length] as Person
  const scores = { Fun: 4, Theme: 5 }
  return [
    await time('queue: p95 latency', QUEUE_MS, (turn) =>
      personOf(turn).fetch(`${PRIVATE}/queue?os=${turn % 3 === 0 ? 'android' : 'windows'}`),
    ),
    await time('a rating: p95 latency', RATING_MS, (turn) =>
      personOf(turn).json('PUT', `${PRIVATE}/ratings/${games[turn]?.uid ?? ''}`, { scores }),
    ),
    await time('entries page: p95 latency', ENTRIES_MS, (turn) =>
      personOf(turn).fetch(`/jams/${JAM}/entries?sort=least_rated&page=${1 + (turn % 50)}`),
    ),
  ]
}

/** One after the other, so that queueing is not measured. */
async function time(
  measure: string,
  limitMs: number,
  send: (turn: number) => Promise<Response>,
): Promise<Line> {
  const times: number[] = []
  for (let turn = 0; turn < WARM_UP + REQUESTS; turn += 1) {
    const began = performance.now()
    const answer = await send(turn)
    const text = await answer.text()
    if (turn >= WARM_UP) times.push(performance.now() - began)
    if (!answer.ok) throw new Error(`${measure}: ${answer.status} ${text.slice(0, 300)}`)
  }
  const latency = summarise(times)
  return judge({
    scenario: 'jams',
    measure,
    unit: 'ms',
    details: latency,
    subject: latency.p95,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: limitMs },
  })
}

async function measureResults({ db }: DatabaseHandle): Promise<Line> {
  await db.execute(sql`update jams set voting_ends_at = now() - interval '1 second' where slug = ${JAM}`)
  const began = performance.now()
  const log = createLogger({ level: 'error', pretty: false })
  await computeDue({ db, log }, new AbortController().signal)
  const seconds = (performance.now() - began) / 1000
  const [row] = await db.execute<{ count: number }>(sql`select count(*)::integer as count from jam_results`)
  if (row?.count !== ENTRIES) throw new Error(`There are ${row?.count} results`)
  return judge({
    scenario: 'jams',
    measure: 'results',
    unit: 's',
    subject: seconds,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: RESULTS_S },
  })
}
