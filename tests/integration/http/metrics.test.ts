import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import postgres from 'postgres'

import { VERSION } from '../../../src/lib/version.ts'
import { signUp } from '../../helpers/people.ts'
import { type LoggedServer, startLoggedServer } from '../../helpers/processes/logged-server.ts'
import { waitFor } from '../../helpers/wait.ts'

const INFRA = join(import.meta.dir, '../../../infra')
const METRICS = { METRICS_PORT: '0', TRUST_PROXY: '1' }

async function scrape(server: LoggedServer): Promise<string[]> {
  const answer = await fetch(server.metricsUrl)
  expect(answer.status).toBe(200)
  return (await answer.text()).split('\n')
}

/** Asks again where a figure was not read in time, or a service was too late, as on a busy machine. */
async function scrapeUntil(server: LoggedServer, isThere: (lines: string[]) => boolean): Promise<string[]> {
  return await waitFor('the figures', async () => {
    const lines = await scrape(server)
    return isThere(lines) && lines
  })
}

const isUp = (lines: string[], service: string) =>
  read(lines, `playshelf_service_up{service="${service}"}`) === 1

/** The value of one series, or undefined when the scrape does not have it. */
function read(lines: string[], series: string): number | undefined {
  const line = lines.find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

/** What queries ask for and the scrape does not describe. */
function listUnknownMetrics(lines: string[], queries: readonly string[]): string[] {
  const known = new Set(
    lines.flatMap((line) => {
      const [, name = '', type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
      return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
    }),
  )
  const asked = queries.flatMap((query) => query.match(/\b(playshelf|process|nodejs)_\w+/g) ?? [])
  return [...new Set(asked)].filter((name) => !known.has(name))
}

describe('a server with a metrics port', () => {
  let server: LoggedServer
  beforeAll(async () => {
    server = await startLoggedServer(METRICS)
  })
  afterAll(() => server.stop())

  test('counts requests under the pattern of their route', async () => {
    const person = await signUp(server)
    for (const uid of [crypto.randomUUID(), crypto.randomUUID()]) {
      expect((await person.json('DELETE', `/api/v1/private/player-keys/${uid}`)).status).toBe(404)
    }
    const lines = await scrape(server)
    const route = 'method="DELETE",route="/api/v1/private/player-keys/:uid"'
    expect(read(lines, `playshelf_http_requests_total{${route},status="404"}`)).toBe(2)
    expect(read(lines, `playshelf_http_request_duration_seconds_count{${route}}`)).toBe(2)
    expect(read(lines, `playshelf_http_request_duration_seconds_bucket{le="+Inf",${route}}`)).toBe(2)
    expect(read(lines, 'playshelf_http_requests_total{method="POST",route="/api/auth/*",status="200"}')).toBe(
      1,
    )
  })

  test('paths that no route answers share one series', async () => {
    for (let i = 0; i < 3; i++) await server.fetch(`/nowhere/${crypto.randomUUID()}`)
    const lines = await scrape(server)
    expect(read(lines, 'playshelf_http_requests_total{method="GET",route="unmatched",status="404"}')).toBe(3)
    expect(lines.filter((line) => line.includes('nowhere'))).toEqual([])
  })

  test('tells version, process and services', async () => {
    const lines = await scrapeUntil(
      server,
      (found) =>
        isUp(found, 'database') &&
        isUp(found, 'storage') &&
        read(found, 'playshelf_jobs_queued') !== undefined,
    )
    expect(read(lines, `playshelf_build_info{version="${VERSION}"}`)).toBe(1)
    expect(read(lines, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(read(lines, 'process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(read(lines, 'process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000)
    expect(read(lines, 'playshelf_service_up{service="database"}')).toBe(1)
    expect(read(lines, 'playshelf_service_up{service="storage"}')).toBe(1)
    expect(read(lines, 'playshelf_jobs_queued')).toBeGreaterThanOrEqual(0)
  })

  test('has every metric that the dashboard shows and the documentation wants an alert on', async () => {
    const lines = await scrape(server)
    const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
      readFileSync(join(INFRA, 'dashboards/playshelf.json'), 'utf8'),
    )
    const shown = dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr))
    const documentation = readFileSync(join(INFRA, 'docs/operations.md'), 'utf8')
    const [chapter = ''] = /^- \*\*Metrics\*\*.*?^- /ms.exec(documentation) ?? []
    const alerts = chapter.match(/`[^`]*\bplayshelf_[^`]*`/g) ?? []
    expect(shown.length).toBeGreaterThan(10)
    expect(alerts.length).toBeGreaterThan(1)
    expect(listUnknownMetrics(lines, [...shown, ...alerts])).toEqual([])
    const planted = ['max(playshelf_jobs_dead) > 0', 'rate(playshelf_jobs_died_total[5m])']
    expect(listUnknownMetrics(lines, planted)).toEqual(['playshelf_jobs_died_total'])
  })

  test('its listener answers GET /metrics and nothing else', async () => {
    const base = new URL(server.metricsUrl).origin
    expect((await fetch(`${base}/health`)).status).toBe(404)
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${base}/metrics`)).headers.get('content-type')).toStartWith('text/plain')
    expect((await server.fetch('/metrics')).status).toBe(404)
  })
})

test('jobs are counted where they run, and dead ones are shown until someone looks', async () => {
  await using server = await start({ ...METRICS, ROLE: 'all' })
  const sql = postgres(server.databaseUrl, { max: 1 })
  await sql`select graphile_worker.add_job('nobody.does', max_attempts => 1)`
  await sql`update graphile_worker._private_jobs set attempts = max_attempts`
  await sql.end()

  await signUp(server)
  const done = 'playshelf_jobs_total{task="mail.send",outcome="done"}'
  const dead = 'playshelf_jobs_dead{task="nobody.does"}'
  const lines = await scrapeUntil(
    server,
    (found) => read(found, done) !== undefined && read(found, dead) !== undefined,
  )
  expect(read(lines, done)).toBe(1)
  expect(read(lines, 'playshelf_job_duration_seconds_count{task="mail.send"}')).toBe(1)
  expect(read(lines, dead)).toBe(1)
})

test('a lost database is told by the scrape, not a failure of it', async () => {
  await using server = await start(METRICS)
  await server.dropDatabase()
  const lines = await scrapeUntil(server, (found) => isUp(found, 'storage'))
  expect(read(lines, 'playshelf_service_up{service="database"}')).toBe(0)
  expect(read(lines, 'playshelf_service_up{service="storage"}')).toBe(1)
  expect(read(lines, 'playshelf_jobs_queued')).toBeUndefined()
})

test('a worker has the listener too', async () => {
  await using server = await start({ ...METRICS, ROLE: 'worker' })
  const lines = await scrapeUntil(server, (found) => isUp(found, 'database'))
  expect(read(lines, 'playshelf_service_up{service="database"}')).toBe(1)
})

test('without a metrics port there is no listener', async () => {
  await using server = await start({})
  expect(server.metricsUrl).toBe('')
})

async function start(env: Record<string, string>): Promise<LoggedServer & AsyncDisposable> {
  const server = await startLoggedServer(env)
  return { ...server, [Symbol.asyncDispose]: server.stop }
}
