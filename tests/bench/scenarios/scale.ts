import { join } from 'node:path'

import postgres from 'postgres'

import { readCpuSeconds, readMemory } from '../../helpers/processes/process-stats.ts'
import { type Environment, ROOT, type ServerProcess, startServerProcess } from '../environment.ts'
import { type LoadRequest, sendLoad } from '../load/load.ts'
import { judge, type Line } from '../report/line.ts'
import { inventSearches, prepareCatalog } from '../search-data.ts'
import type { Scenario } from './scenario.ts'

const API = '/api/v1/public'
/** Catalogs to measure, for example `BENCH_SIZES=10000,100000,1000000`. */
const SIZES = (process.env['BENCH_SIZES'] ?? '10000,100000').split(',').map(Number)
const SEARCHES = 400
const NAMES = 500
/** Stays below the limits of one address. */
const ADDRESSES = 4096
const TABLES = 12
const LOOK_AGAIN_MS = 200
const BROWSER = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0)', 'accept-encoding': 'gzip' }

export const scale: Scenario = {
  name: 'scale',
  about: `what routes and tables cost with ${SIZES.map((size) => size.toLocaleString('en')).join(' and ')} listings`,
  async run(environment) {
    const lines: Line[] = []
    for (const size of SIZES) lines.push(...(await measureSize(environment, size)))
    return lines
  },
}

async function measureSize(environment: Environment, listings: number): Promise<Line[]> {
  const settings = await prepareCatalog(environment, listings)
  await using resources = new AsyncDisposableStack()
  const sql = postgres(settings.DATABASE_URL ?? '', { max: 1, onnotice: () => undefined })
  resources.defer(() => sql.end())
  const server = await startServerProcess({
    command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
    path: '/health',
    env: settings,
  })
  resources.defer(() => server.stop())

  const line = (measure: string, unit: string, subject: number) =>
    judge({
      scenario: 'scale',
      measure: `${listings.toLocaleString('en')}: ${measure}`,
      unit,
      subject,
      baseline: null,
    })
  const before = await readMemory(server.pid, 'VmRSS')
  const started = performance.now()
  // Without a snapshot, a large index takes longer to load than a search waits for it.
  while (!(await fetch(`${server.url}${API}/search?q=light`)).ok) await Bun.sleep(LOOK_AGAIN_MS)
  const lines = [line('first search after the start', 'ms', performance.now() - started)]
  for (const [name, paths] of Object.entries(await listRoutes(server.url))) {
    const costs = await measureRoute(server, sql, paths, environment.pace.seconds)
    lines.push(line(`${name}, CPU of the server`, 'µs', costs.server))
    lines.push(line(`${name}, CPU of Postgres`, 'µs', costs.database))
  }
  lines.push(line('memory with the index loaded', 'MB', await readMemory(server.pid, 'VmRSS')))
  lines.push(line('memory before the first search', 'MB', before))
  for (const { name, bytes } of await measureTables(sql))
    lines.push(line(`table ${name}, with its indexes`, 'bytes a listing', bytes / listings))
  return lines
}

async function listRoutes(url: string): Promise<Record<string, string[]>> {
  const searches = await inventSearches(url, SEARCHES)
  const names = await listNames(url)
  return {
    'search, each another': searches,
    'search, the same again': searches.slice(0, 1),
    'search page': searches.slice(0, 50).map((path) => path.slice(API.length)),
    'home page': ['/'],
    'listing, each another': names.map((name) => `${API}/games/${name}`),
    'store page, each another': names.map((name) => `/games/${name}`),
    'store page, the same again': names.slice(0, 1).map((name) => `/games/${name}`),
  }
}

async function listNames(url: string): Promise<string[]> {
  const pages = await Promise.all(
    Array.from({ length: NAMES / 50 }, async (_, index) => {
      const response = await fetch(`${url}${API}/search?sort=newest&page_size=50&page=${index * 17 + 1}`)
      const { data } = (await response.json()) as { data: { items: { vanity_name: string }[] } }
      return data.items.map(({ vanity_name }) => vanity_name)
    }),
  )
  return pages.flat()
}

/** Microseconds of CPU time per request, of the server and of its database connections. */
async function measureRoute(
  server: ServerProcess,
  sql: postgres.Sql,
  paths: readonly string[],
  seconds: number,
): Promise<{ server: number; database: number }> {
  const request: LoadRequest = {
    url: server.url,
    headers: BROWSER,
    addresses: ADDRESSES,
    status: 200,
    variants: paths.map((path) => ({ path })),
  }
  await sendLoad(request, 1)
  const backends = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  const read = async () => ({
    server: await readCpuSeconds(server.pid),
    database: sum(await Promise.all(backends.map(({ pid }) => readCpuSeconds(pid)))),
  })
  const before = await read()
  const { requests } = await sendLoad(request, seconds)
  const after = await read()
  const perRequest = (cpuSeconds: number) => (cpuSeconds / requests) * 1e6
  return {
    server: perRequest(after.server - before.server),
    database: perRequest(after.database - before.database),
  }
}

/** The largest tables, with their indexes and long values. */
async function measureTables(sql: postgres.Sql): Promise<{ name: string; bytes: number }[]> {
  const rows = await sql<{ name: string; bytes: string }[]>`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
    order by bytes desc limit ${TABLES}`
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
