import { join } from 'node:path'

import { and, eq, sql } from 'drizzle-orm'

import { type Database, openDatabase } from '../../../src/db/client.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { inventListing } from '../../../src/demo/bulk/listing.ts'
import { findReindex } from '../../../src/features/catalog/search/reindex-queries.ts'
import { notifyChange } from '../../../src/features/games/service.ts'
import { ROOT, startServerProcess } from '../environment.ts'
import { judge, type Line, summarise } from '../report/line.ts'
import { createCatalogSettings, findCatalog, inventSearchesFor, runCommand } from '../search-data.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = Number(process.env['BENCH_BULK_LISTINGS'] ?? 20_000)
const PER_SECOND = 5000
const SEARCHES_PER_SECOND = 20
const SEARCHES = 800
const P95_MS = 100
const CHANGE_EVERY_MS = 250
const FOUND_MS = 500
const LOOK_AGAIN_MS = 20

export const bulk: Scenario = {
  name: 'bulk',
  about: `loading and indexing ${LISTINGS.toLocaleString('en')} listings (BENCH_BULK_LISTINGS sets how many)`,
  async run(environment) {
    const existing = findCatalog(LISTINGS)
    const settings = existing
      ? await environment.settings({ ROLE: 'all', DATABASE_URL: existing, TRUST_PROXY: '1' })
      : await createCatalogSettings(environment, { ROLE: 'all' })
    const lines = existing ? [] : [await measureLoad(settings)]
    if (existing) await eraseIndex(existing)
    lines.push(...(await measureReindex(settings)))
    const againMs = await time(() => runCommand(settings, 'reindex'))
    return [...lines, toSpeed('listings compared per second when nothing changed', againMs)]
  },
}

async function measureLoad(settings: Record<string, string>): Promise<Line> {
  // The pictures of the demo pages are encoded once, and not measured.
  await runCommand(settings, 'demo')
  const loadedMs = await time(() => runCommand(settings, 'demo', '--count', String(LISTINGS)))
  return toSpeed('made-up listings loaded per second', loadedMs)
}

async function eraseIndex(url: string): Promise<void> {
  const database = openDatabase(url)
  await database.db.execute(
    sql`truncate search_documents, search_postings, search_words, search_changes, search_reindexes`,
  )
  await database.dispose()
}

/** From nothing, while a server answers searches and indexes single changes. */
async function measureReindex(settings: Record<string, string>): Promise<Line[]> {
  const end = new AbortController()
  const database = openDatabase(settings['DATABASE_URL'] ?? '')
  const reindexing = time(() => runCommand(settings, 'reindex')).finally(() => end.abort())
  // Otherwise the server might take over the run.
  while (!end.signal.aborted && !(await findReindex(database.db))?.done) await Bun.sleep(20)
  const server = await startServerProcess({
    command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
    path: '/health',
    env: settings,
  })
  try {
    const [indexedMs, searched, found] = await Promise.all([
      reindexing,
      search(server.url, end.signal),
      change(database.db, server.url, end.signal),
    ])
    return [
      toSpeed('listings indexed per second meanwhile', indexedMs),
      toLatency('p95 of a search during the reindex', searched, P95_MS),
      toLatency('p95 from a change to finding it', found, FOUND_MS),
    ]
  } finally {
    await server.stop()
    await database.dispose()
  }
}

async function time(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Typical searches at a steady rate. */
async function search(url: string, end: AbortSignal): Promise<number[]> {
  const listings = Array.from({ length: 1000 }, (_, number) => {
    const { name, tagline = '', tags = [] } = inventListing(number, new Date()).row
    return { name, tagline, taxonomy: { tags } }
  })
  const paths = inventSearchesFor(listings, SEARCHES)
  const times: number[] = []
  for (let count = 0; !end.aborted; count += 1) {
    const started = performance.now()
    await find(url + (paths[count % paths.length] ?? ''))
    times.push(performance.now() - started)
    await Bun.sleep(Math.max(0, 1000 / SEARCHES_PER_SECOND - (performance.now() - started)))
  }
  return times
}

/** Rewrites one tagline after the other; returns how long it took to find each. */
async function change(db: Database, url: string, end: AbortSignal): Promise<number[]> {
  const uids = await db
    .select({ uid: games.uid })
    .from(games)
    .where(and(eq(games.visibility, 'public'), eq(games.adult, false)))
    .limit(1000)
  const times: number[] = []
  for (const [count, { uid }] of uids.entries()) {
    if (end.aborted) break
    const tagline = `zz${count}mark`
    const started = performance.now()
    await db.transaction(async (tx) => {
      await tx.update(games).set({ tagline }).where(eq(games.uid, uid))
      await notifyChange(tx, uid)
    })
    while ((await find(`${url}/api/v1/public/search?q=${tagline}`)) === 0) await Bun.sleep(LOOK_AGAIN_MS)
    times.push(performance.now() - started)
    await Bun.sleep(CHANGE_EVERY_MS)
  }
  return times
}

let asked = 0

/** Returns the number of matches. Uses different addresses, to stay below the limits. */
async function find(url: string): Promise<number> {
  asked += 1
  const answer = await fetch(url, { headers: { 'x-forwarded-for': `10.5.${(asked >> 4) & 255}.5` } })
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
  return ((await answer.json()) as { data: { total: number } }).data.total
}

function toSpeed(measure: string, elapsedMs: number): Line {
  const details = { listings: LISTINGS, seconds: elapsedMs / 1000 }
  console.error(`  ${measure}: ${Math.round((LISTINGS * 1000) / elapsedMs)}`)
  return judge({
    scenario: 'bulk',
    measure,
    unit: 'listings',
    baseline: null,
    details,
    subject: (LISTINGS * 1000) / elapsedMs,
    target: { of: 'subject', must: 'reach', value: PER_SECOND },
  })
}

function toLatency(measure: string, times: readonly number[], limitMs: number): Line {
  const latency = summarise(times)
  console.error(`  ${measure}: ${latency.p95.toFixed(1)} ms of ${times.length}`)
  return judge({
    scenario: 'bulk',
    measure,
    unit: 'ms',
    subject: latency.p95,
    baseline: null,
    details: latency,
    target: { of: 'subject', must: 'stay below', value: limitMs },
  })
}
