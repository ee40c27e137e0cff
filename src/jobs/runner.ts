import { EventEmitter } from 'node:events'

import {
  type JobHelpers,
  Logger as QueueLogger,
  parseCronItems,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'

import type { Deps } from '../deps.ts'
import type { Logger } from '../lib/log.ts'
import type { BoundHandler, Incident } from './handler.ts'
import { LANE_NAMES, type LaneName, laneOf, LANES } from './lanes.ts'
import { limitNudges, OWN_POLL_MS } from './limit-nudges.ts'
import { limitOwners } from './limit-owners.ts'
import { startLiveness } from './liveness.ts'
import { openQueuePool } from './queue-pool.ts'
import { JOB_ADDED } from './queue.ts'
import { supervise, type Supervised } from './supervise.ts'

export interface JobOutcome {
  task: string
  outcome: 'done' | 'failed' | 'dead'
  seconds: number
  incidents: readonly Incident[]
}

export interface RunnerOptions {
  databaseUrl: string
  handlers: readonly BoundHandler[]
  /** Other numbers of slots than those of the lanes. */
  slots?: Partial<Readonly<Record<LaneName, number>>>
  onFinished?: (outcome: JobOutcome) => void
}

export interface JobRunner {
  /** Finishes the jobs in flight and takes no new ones. */
  stop(): Promise<void>
  /** Settles when the runner ends unexpectedly. */
  ended: Promise<void>
}

/**
 * Without a delay the library does not wait for the statement that ends a job: while the database is away, its
 * failure would end the process.
 */
const HANDLED_FAILURES = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } }
/** Per lane, beside the one that listens for new jobs: one fetches the next job, the others record results. */
const CONNECTIONS = 3

/** Every lane has workers and connections of its own. */
export async function startRunner(deps: Deps, options: RunnerOptions): Promise<JobRunner> {
  const log = deps.log.child({ component: 'jobs' })
  const liveness = startLiveness(options.databaseUrl, log)
  const lanes: Supervised[] = []
  const looks = new Map<string, () => void>()
  await deps.database.listen(
    JOB_ADDED,
    (lane) => looks.get(lane)?.(),
    () => looks.forEach((look) => look()),
  )
  for (const lane of LANE_NAMES) {
    const handlers = options.handlers.filter(({ job }) => laneOf(job) === lane)
    if (handlers.length === 0) continue
    const start = async () => {
      const events: WorkerEvents = new EventEmitter()
      events.on('pool:create', ({ workerPool }) => liveness.register(workerPool.id))
      events.on('pool:release', ({ workerPool }) => liveness.unregister(workerPool.id))
      looks.set(lane, limitNudges(events))
      const pool = openQueuePool(options.databaseUrl, 1 + CONNECTIONS, log)
      const runner = run({
        events,
        pgPool: pool,
        taskList: toTasks(deps, log, { ...options, handlers }),
        concurrency: options.slots?.[lane] ?? LANES[lane].slots,
        forbiddenFlags: limitOwners(events, LANES[lane].perOwner),
        noHandleSignals: true,
        pollInterval: OWN_POLL_MS,
        preset: HANDLED_FAILURES,
        parsedCronItems: parseCronItems(
          handlers.flatMap(({ job }) =>
            job.cron ? [{ task: job.name, match: job.cron, identifier: job.name }] : [],
          ),
        ),
        logger: new QueueLogger(() => (level, message) => {
          if (level === 'error') log.error(message)
          else log.debug(message)
        }),
      })
      const end = () => void pool.end()
      void runner.then(({ promise }) => promise).then(end, end)
      return await runner
    }
    lanes.push(await supervise(start, log))
  }
  return {
    ended: Promise.race(lanes.map(({ ended }) => ended)),
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()))
      await liveness.stop()
    },
  }
}

function toTasks(deps: Deps, log: Logger, { handlers, onFinished }: RunnerOptions): TaskList {
  return Object.fromEntries(
    handlers.map(({ job, run: handle }) => [
      job.name,
      async (payload, helpers) => {
        const attempt = helpers.job.attempts
        const incidents: Incident[] = []
        const context = {
          attempt,
          signal: helpers.abortSignal ?? new AbortController().signal,
          log: log.child({ job: job.name }),
          countIncident: (kind: Incident) => void incidents.push(kind),
        }
        const started = performance.now()
        const report = (outcome: JobOutcome['outcome']) =>
          onFinished?.({
            task: job.name,
            outcome,
            incidents,
            seconds: (performance.now() - started) / 1000,
          })
        try {
          await handle(deps, isRecord(payload) ? payload : {}, context)
          report('done')
        } catch (error) {
          if (await isReplaced(helpers)) {
            log.warn('A job failed that a newer one replaces', { job: job.name, attempt, error })
            return report('failed')
          }
          const dead = attempt >= helpers.job.max_attempts
          const message = dead ? 'A job failed on its last attempt' : 'A job failed and will be retried'
          log[dead ? 'error' : 'warn'](message, { job: job.name, attempt, error })
          report(dead ? 'dead' : 'failed')
          throw error
        }
      },
    ]),
  )
}

/** Adding a job with the key of one that runs takes the key and all attempts from it: it would stay as dead. */
async function isReplaced({ job, query }: JobHelpers): Promise<boolean> {
  if (job.key === null) return false
  const statement = 'select 1 from graphile_worker.jobs where id = $1 and key is null'
  // Without the database the job cannot end either, and runs again.
  return await query(statement, [job.id]).then(
    ({ rows }) => rows.length > 0,
    () => false,
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
