import { join } from 'node:path'

import { eq, sql } from 'drizzle-orm'

import { type Database, openDatabase } from '../../../src/db/client.ts'
import { games } from '../../../src/db/schema/games.ts'
import { notifyChange } from '../../../src/features/games/service.ts'
import { createRandom } from '../../../src/lib/random.ts'
import { makeWords } from '../../helpers/search-documents.ts'
import { ROOT } from '../environment.ts'
import { judge, type Line } from '../line.ts'
import { until } from '../publishing.ts'
import { inventSearches, prepareCatalog } from '../search-data.ts'
import { startServerProcess } from '../server-process.ts'
import { type Latency, summarise } from '../statistics.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = 100_000
const CHANGES_PER_SECOND = 50
const SECONDS = 30
const SEARCHES = 500
const P95_MS = 50
const FOUND_MS = 500
/** Every so many changes are waited for until a search finds them. */
const WATCHED = 25

export const searchLive: Scenario = {
  name: 'search-live',
  about: `searches among ${LISTINGS.toLocaleString('en')} listings while ${CHANGES_PER_SECOND} change each second`,
  async run(environment) {
    const settings = await prepareCatalog(environment, LISTINGS, { ROLE: 'all' })
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    const database = openDatabase(settings.DATABASE_URL ?? '')
    try {
      const paths = await inventSearches(server.url, SEARCHES)
      const quiet = summarise(await search(server.url, paths, SECONDS / 2))
      const end = AbortSignal.timeout(SECONDS * 1000)
      const [times, found] = await Promise.all([
        search(server.url, paths, SECONDS),
        change(database.db, server.url, end),
      ])
      return [
        toLine('p95 of a search while listings change', summarise(times), P95_MS, quiet.p95),
        toLine('p95 from a change to finding it', summarise(found), FOUND_MS, null),
      ]
    } finally {
      await database.dispose()
      await server.stop()
    }
  },
}

/** One search after the other, for so many seconds. */
async function search(url: string, paths: readonly string[], seconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  for (let at = 0; performance.now() < end; at += 1) {
    const started = performance.now()
    await find(url + (paths[at % paths.length] ?? ''))
    times.push(performance.now() - started)
  }
  return times
}

/** Rewrites taglines at a steady rate; returns how long it took to find the watched ones. */
async function change(db: Database, url: string, end: AbortSignal): Promise<number[]> {
  const random = createRandom('live changes')
  const words = makeWords('live words', 5000)
  const uids = await db
    .select({ uid: games.uid })
    .from(games)
    .where(eq(games.visibility, 'public'))
    .limit(5000)
  const found: number[] = []
  const watching: Promise<void>[] = []
  for (let count = 0; !end.aborted; count += 1) {
    const { uid } = random.pick(uids)
    const mark = `zz${count}mark`
    const tagline = `${mark} ${random.draw(words, 4).join(' ')}`
    await db.transaction(async (tx) => {
      await tx
        .update(games)
        .set({ tagline, updatedAt: sql`now()` })
        .where(eq(games.uid, uid))
      await notifyChange(tx, uid)
    })
    if (count % WATCHED === 0) watching.push(waitFor(url, mark, found))
    await Bun.sleep(1000 / CHANGES_PER_SECOND)
  }
  await Promise.all(watching)
  return found
}

async function waitFor(url: string, mark: string, found: number[]): Promise<void> {
  const started = performance.now()
  await until(async () => (await find(`${url}/api/v1/public/search?q=${mark}`)) > 0)
  found.push(performance.now() - started)
}

let asked = 0

/** Returns the number of matches. Uses different addresses, to stay below the limits. */
async function find(url: string): Promise<number> {
  asked += 1
  const headers = { 'x-forwarded-for': `10.7.${(asked >> 4) & 255}.7` }
  const answer = await fetch(url, { headers })
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
  return ((await answer.json()) as { data: { total: number } }).data.total
}

function toLine(measure: string, latency: Latency, limitMs: number, baseline: number | null): Line {
  return judge({
    ...{ scenario: 'search-live', measure, unit: 'ms', subject: latency.p95, baseline },
    target: { of: 'subject', must: 'stay below', value: limitMs },
    details: latency,
  })
}
