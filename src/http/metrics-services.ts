import { Gauge, type Metric } from 'prom-client'

import { runProbe } from '../clients/probe.ts'
import type { Deps } from '../deps.ts'
import { type QueueState, readQueueState } from '../jobs/queue.ts'
import { remember } from './metrics-remember.ts'

/** Scrapes within this time share one answer of the services. */
const FRESH_MS = 5000
const QUEUE_TIMEOUT_MS = 3000

/** Asked when scraped. A database that does not answer fails no scrape: it is what the scrape then tells. */
export function createServiceMetrics(deps: Pick<Deps, 'db' | 'probes' | 'log'>): Metric[] {
  const readQueueOften = remember(() => readQueue(deps), FRESH_MS)
  const probeOften = remember(() => Promise.all(deps.probes.map(runProbe)), FRESH_MS)
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
  return [queued, dead, up]
}

async function readQueue({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<QueueState | null> {
  const state = readQueueState(db).catch((error: unknown) => {
    log.debug('The job queue could not be read for the metrics', { error })
    return null
  })
  return await Promise.race([state, Bun.sleep(QUEUE_TIMEOUT_MS).then(() => null)])
}
