import { Counter, Gauge, type Metric } from 'prom-client'

import { runProbe } from '../../clients/probe.ts'
import { readSearchLag } from '../../clients/search/search-lag.ts'
import type { Deps } from '../../deps.ts'
import { readQueueState } from '../../jobs/queue.ts'
import { memoize } from '../../lib/flow/memoize.ts'
import { within } from '../../lib/flow/within.ts'

/** Scrapes within this time share one result. */
const FRESH_MS = 5000
const READ_TIMEOUT_MS = 3000

/**
 * Read when scraped. An unavailable database does not fail the scrape, because the scrape has to report it.
 */
export function createServiceMetrics(
  deps: Pick<Deps, 'config' | 'db' | 'replica' | 'reads' | 'probes' | 'log'>,
): Metric[] {
  const searchEngine = deps.config.meili ? 'meilisearch' : 'postgres'
  const readQueueOften = memoize(FRESH_MS, () => tryToRead(deps, 'The job queue', readQueueState(deps.db)))
  const readLagOften = memoize(FRESH_MS, () =>
    tryToRead(deps, 'The search lag', readSearchLag(deps.db, searchEngine)),
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
  return await within(READ_TIMEOUT_MS, reading).catch((error: unknown) => {
    log.debug(`${what} could not be read for the metrics`, { error })
    return null
  })
}
