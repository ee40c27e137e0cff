import { eq, sql } from 'drizzle-orm'

import { type Database, openDatabase } from '../../../../src/db/client.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { notifyChange } from '../../../../src/features/games/service.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { makeWords } from '../../../helpers/search/search-documents.ts'
import { measureEveryday } from '../../everyday.ts'
import { until } from '../../publishing.ts'
import { judge, type Latency, type Line, summarise, type Target } from '../../report/line.ts'
import { inventSearches, prepareCatalog } from '../../search-data.ts'
import { measureAtRest, search, startServer, timeEach } from '../../search-run.ts'
import type { Scenario } from '../scenario.ts'

const LISTINGS = Number(process.env['BENCH_LISTINGS'] ?? 100_000)
const CHANGES_PER_SECOND = 50
const SECONDS = 30
const SEARCHES = 500
const P95_MS = 50
const SUGGESTIONS_P95_MS = 20
const FOUND_MS = 500
const FIRST_MS = 5000
/** Every so many changes are waited for until a search finds them. */
const WATCHED = 25

export const searchLive: Scenario = {
  name: 'search-live',
  about: `searches among ${LISTINGS.toLocaleString('en')} listings, at rest and while ${CHANGES_PER_SECOND} change each second`,
  async run(environment) {
    const settings = await prepareCatalog(environment, LISTINGS, { ROLE: 'all' })
    const rest = await measureAtRest(settings, await environment.settings())
    const everyday = await askEveryday(settings)
    const { times, found } = await measureChanging(settings)
    return [
      toLine('p95 of a search at rest', rest.latency.p95, below(P95_MS), { details: rest }),
      toLine('p95 of what a person types', rest.finds.p95, below(P95_MS), {
        baseline: rest.latency.p95,
        details: rest.finds,
      }),
      toLine('p95 of suggestions', rest.suggestions.p95, below(SUGGESTIONS_P95_MS), {
        details: rest.suggestions,
      }),
      everyday,
      toLine('p95 of a search while listings change', times.p95, below(P95_MS), {
        baseline: rest.latency.p95,
        details: times,
      }),
      toLine('p95 from a change to finding it', found.p95, below(FOUND_MS), { details: found }),
      toLine('from starting to the first search', rest.firstMs, below(FIRST_MS)),
      { ...toLine('memory per listing, caches included', rest.listingBytes), unit: 'B' },
    ]
  },
}

async function askEveryday(settings: Record<string, string>): Promise<Line> {
  const server = await startServer(settings)
  try {
    const databaseUrl = settings['DATABASE_URL'] ?? ''
    return await measureEveryday('search-live', { url: server.url, databaseUrl, engine: 'postgres' })
  } finally {
    await server.stop()
  }
}

async function measureChanging(
  settings: Record<string, string>,
): Promise<{ times: Latency; found: Latency }> {
  const server = await startServer(settings)
  const database = openDatabase(settings['DATABASE_URL'] ?? '')
  try {
    const paths = await inventSearches(server.url, SEARCHES)
    await timeEach(server.url, paths)
    const end = AbortSignal.timeout(SECONDS * 1000)
    const [times, found] = await Promise.all([
      timeEach(server.url, paths, SECONDS),
      change(database.db, server.url, end),
    ])
    return { times: summarise(times), found: summarise(found) }
  } finally {
    await database.dispose()
    await server.stop()
  }
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
  const started = performance.now()
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
    const due = started + ((count + 1) * 1000) / CHANGES_PER_SECOND
    await Bun.sleep(Math.max(0, due - performance.now()))
  }
  await Promise.all(watching)
  return found
}

async function waitFor(url: string, mark: string, found: number[]): Promise<void> {
  const started = performance.now()
  await until(async () => (await search(`${url}/api/v1/public/search?q=${mark}`)) > 0)
  found.push(performance.now() - started)
}

function below(value: number): Target {
  return { of: 'subject', must: 'stay below', value }
}

function toLine(
  measure: string,
  subject: number,
  target?: Target,
  { baseline = null, details }: { baseline?: number | null; details?: object } = {},
): Line {
  return judge({
    scenario: 'search-live',
    measure,
    unit: 'ms',
    subject,
    baseline,
    ...(target && { target }),
    ...(details && { details }),
  })
}
