import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'

import type { JobOutcome } from '../../jobs/runner.ts'
import { VERSION } from '../../lib/version.ts'
import { createProcessMetrics } from './metrics-process.ts'
import { createServiceMetrics } from './metrics-services.ts'

export interface Metrics {
  contentType: string
  countRequest(method: string, route: string, status: number, seconds: number): void
  countJob(outcome: JobOutcome): void
  render(): Promise<string>
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]
const JOB_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800]

export function createMetrics(deps: Parameters<typeof createServiceMetrics>[0]): Metrics {
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
