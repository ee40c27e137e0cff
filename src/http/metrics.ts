import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'

import { runProbe } from '../clients/probe.ts'
import { loadSearchLag } from '../clients/search/search-lag.ts'
import type { Deps } from '../deps.ts'
import { loadQueueState } from '../jobs/queue.ts'
import type { JobOutcome } from '../jobs/runner.ts'
import { memoize } from '../lib/flow/memoize.ts'
import { withTimeout } from '../lib/flow/with-timeout.ts'
import { VERSION } from '../lib/version.ts'
import type { Answer } from './server/handler.ts'
import { bindPort } from './server/server.ts'

/** Uses the names of the standard Prometheus clients, so that common dashboards find them. */
function createProcessMetrics(): Metric[] {
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory in use',
    registers: [],
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time spent, threads included',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  const start = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since 1970',
    registers: [],
  })
  start.set(Math.round(Date.now() / 1000 - process.uptime()))
  return [memory, cpu, start]
}

/** Scrapes within this time share one result. */
const FRESH_MS = 5000
const READ_TIMEOUT_MS = 3000

/**
 * Read when scraped. An unavailable database does not fail the scrape, because the scrape has to report it.
 */
function createServiceMetrics(
  deps: Pick<Deps, 'config' | 'db' | 'replica' | 'reads' | 'probes' | 'log'>,
): Metric[] {
  const searchEngine = deps.config.meili ? 'meilisearch' : 'postgres'
  const readQueueOften = memoize(FRESH_MS, () => tryToRead(deps, 'The job queue', loadQueueState(deps.db)))
  const readLagOften = memoize(FRESH_MS, () =>
    tryToRead(deps, 'The search lag', loadSearchLag(deps.db, searchEngine)),
  )
  const probeOften = memoize(FRESH_MS, () => Promise.all(deps.probes.map(runProbe)))
  const queued = new Gauge({
    name: 'playshelf_jobs_queued',
    help: 'Jobs that wait or run',
    registers: [],
    async collect() {
      const state = await readQueueOften()
      if (state) this.set(state.queued)
      else this.remove()
    },
  })
  const dead = new Gauge({
    name: 'playshelf_jobs_dead',
    help: 'Jobs that failed for good and wait for someone to look',
    labelNames: ['task'],
    registers: [],
    async collect() {
      const state = await readQueueOften()
      this.reset()
      for (const { task, count } of state?.dead ?? []) this.set({ task }, count)
    },
  })
  const up = new Gauge({
    name: 'playshelf_service_up',
    help: 'Does the service answer (1) or not (0)',
    labelNames: ['service'],
    registers: [],
    async collect() {
      for (const probed of await probeOften()) this.set({ service: probed.name }, probed.up ? 1 : 0)
    },
  })
  const searchLag = new Gauge({
    name: 'playshelf_search_lag_seconds',
    help: 'Age of the oldest change that searches do not know of yet',
    registers: [],
    async collect() {
      const lag = await readLagOften()
      if (lag === null) this.remove()
      else this.set(lag)
    },
  })
  return [queued, dead, up, searchLag, ...createReplicaMetrics(deps)]
}

/** None without a replica. */
function createReplicaMetrics({ replica, reads }: Pick<Deps, 'replica' | 'reads'>): Metric[] {
  if (replica === null) return []
  const lag = new Gauge({
    name: 'playshelf_replica_lag_seconds',
    help: 'Age of the newest state that the read replica is known to have',
    registers: [],
    collect() {
      this.set(replica.lagSeconds())
    },
  })
  const served = new Counter({
    name: 'playshelf_public_reads_total',
    help: 'Reads of public data by the database that served them',
    labelNames: ['database'],
    registers: [],
    collect() {
      this.reset()
      for (const [database, count] of Object.entries(reads.counts())) this.inc({ database }, count)
    },
  })
  return [lag, served]
}

/** Returns null when the database fails or is too slow. */
async function tryToRead<Value>(
  { log }: Pick<Deps, 'log'>,
  what: string,
  reading: Promise<Value>,
): Promise<Value | null> {
  return await withTimeout(READ_TIMEOUT_MS, reading).catch((error: unknown) => {
    log.debug(`${what} could not be read for the metrics`, { error })
    return null
  })
}

interface Metrics {
  contentType: string
  countRequest(method: string, route: string, status: number, seconds: number): void
  countJob(outcome: JobOutcome): void
  render(): Promise<string>
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]
const JOB_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800]

function createMetrics(deps: Parameters<typeof createServiceMetrics>[0]): Metrics {
  // Counted here and handed over when scraped: the library's own counters cost five times as much per
  // request.
  const answered = new Map<string, { method: string; route: string; status: number; count: number }>()
  const requests = new Counter({
    name: 'playshelf_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers: [],
    collect() {
      this.reset()
      for (const { count, ...labels } of answered.values()) this.inc(labels, count)
    },
  })
  const requestSeconds = new Histogram({
    name: 'playshelf_http_request_duration_seconds',
    help: 'Time until a request had its answer',
    labelNames: ['method', 'route'],
    buckets: REQUEST_SECONDS,
    registers: [],
  })
  const jobs = new Counter({
    name: 'playshelf_jobs_total',
    help: 'Job runs that ended here: done, failed (tried again later) or dead',
    labelNames: ['task', 'outcome'],
    registers: [],
  })
  const jobSeconds = new Histogram({
    name: 'playshelf_job_duration_seconds',
    help: 'Time a job run took',
    labelNames: ['task'],
    buckets: JOB_SECONDS,
    registers: [],
  })
  const incidents = new Counter({
    name: 'playshelf_incidents_total',
    help: 'What an operator should look into; stored_bytes_differ: a stored file has not the checksum of its upload',
    labelNames: ['kind'],
    registers: [],
  })
  const registry = createRegistry([
    requests,
    requestSeconds,
    jobs,
    jobSeconds,
    incidents,
    createBuildInfo(),
    ...createServiceMetrics(deps),
    ...createProcessMetrics(),
  ])
  return {
    contentType: registry.contentType,
    countRequest(method, route, status, seconds) {
      const series = `${status}${method}${route}`
      const known = answered.get(series)
      if (known) known.count += 1
      else answered.set(series, { method, route, status, count: 1 })
      requestSeconds.observe({ method, route }, seconds)
    },
    countJob({ task, outcome, seconds, incidents: kinds }) {
      jobs.inc({ task, outcome })
      for (const kind of kinds) incidents.inc({ kind })
      jobSeconds.observe({ task }, seconds)
    },
    render: () => registry.metrics(),
  }
}

function createRegistry(metrics: readonly Metric[]): Registry {
  const registry = new Registry()
  for (const metric of metrics) registry.registerMetric(metric)
  return registry
}

function createBuildInfo(): Metric {
  const info = new Gauge({
    name: 'playshelf_build_info',
    help: 'Always 1; the label names the version that runs',
    labelNames: ['version'],
    registers: [],
  })
  info.set({ version: VERSION }, 1)
  return info
}

interface RunningMetrics {
  onAnswer(answer: Answer): void
  onJobFinished(outcome: JobOutcome): void
  stop(): Promise<void>
}

/** Load this file only where metrics are served: it loads the library. */
export function startMetrics(deps: Deps, metricsPort: number): RunningMetrics {
  const { host, reusePort } = deps.config
  const metrics = createMetrics(deps)
  const server = bindPort('METRICS_PORT', metricsPort, () =>
    listenForMetrics(metrics, { hostname: host, port: metricsPort, reusePort }),
  )
  deps.log.info('Metrics are served', { url: new URL('/metrics', server.url).href })
  return {
    onAnswer: ({ method, route, status, seconds }) => metrics.countRequest(method, route, status, seconds),
    onJobFinished: metrics.countJob,
    stop: () => server.stop(true),
  }
}

/** A separate listener: the metrics need no password, so they must not be on the public address. */
function listenForMetrics(
  metrics: Metrics,
  address: { hostname: string; port: number; reusePort: boolean },
): Bun.Server<undefined> {
  return Bun.serve({
    ...address,
    development: false,
    routes: {
      '/metrics': {
        GET: async () =>
          new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } }),
      },
    },
    fetch: () => new Response('Only GET /metrics is answered here.\n', { status: 404 }),
  })
}
