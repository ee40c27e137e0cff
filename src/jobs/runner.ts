import { EventEmitter } from 'node:events'

import {
  type JobHelpers,
  Logger as QueueLogger,
  parseCronItems,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'
import { Pool } from 'pg'

import type { Deps } from '../deps.ts'
import type { Logger } from '../lib/log.ts'
import { type BoundHandler, type Incident, LANE_NAMES, type LaneName, laneOf, LANES } from './define.ts'
import { limitNudges, limitOwners, OWN_POLL_MS } from './limits.ts'
import { startLiveness } from './liveness.ts'
import { JOB_ADDED } from './queue.ts'

/** The statements of the queue are short: one without a response for this long has a dead connection. */
const QUERY_TIMEOUT_MS = 35_000

/**
 * Planning the statement that looks for a job takes longer than running it, and its statistics may be
 * outdated.
 */
const QUEUE_SETTINGS = ['synchronous_commit=off', 'plan_cache_mode=force_generic_plan', 'enable_seqscan=off']

/**
 * A pool made by the library would remove its error listeners before its connections are closed: if the
 * database cut one in between, that would end the process.
 */
function openQueuePool(databaseUrl: string, max: number, log: Logger): Pool {
  const pool = new Pool({ connectionString: forQueue(databaseUrl), max })
  // Each connection reports its own error.
  pool.on('error', () => undefined)
  pool.on('connect', (client) =>
    client.on('error', ({ message }) => log.error('The job queue lost a connection', { reason: message })),
  )
  return pool
}

/**
 * Commits without waiting for the disk: after a crash of the database, a job that was just taken or done may
 * run again, as after a crash of this process.
 */
function forQueue(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('query_timeout', String(QUERY_TIMEOUT_MS))
  const given = url.searchParams.get('options') ?? ''
  url.searchParams.set(
    'options',
    [given, ...QUEUE_SETTINGS.map((setting) => `-c ${setting}`)].join(' ').trim(),
  )
  return url.href
}

const RESTART_PAUSE_MS = 1000

interface Supervised {
  /** Settles when it was stopped. */
  ended: Promise<void>
  stop(): Promise<void>
}

interface Part {
  promise: Promise<unknown>
  stop(): Promise<unknown>
}

/**
 * Restarts a part of the job queue whenever it ends by itself: the library gives up when the connection to
 * the database breaks while a job ends. Only the first start may fail.
 */
async function supervise(start: () => Promise<Part>, log: Logger): Promise<Supervised> {
  let isStopping = false
  let part: Part | null = await start()
  const stopPart = async () => {
    // It rejects when the part has already ended.
    await part?.stop().catch(() => undefined)
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      await part?.promise.catch(() => undefined)
      if (isStopping) return
      if (part) log.warn('The job runner ended and is started again')
      part = null
      await Bun.sleep(RESTART_PAUSE_MS)
      part = await start().catch((error: unknown) => {
        log.warn('The job runner could not start', { error })
        return null
      })
      if (isStopping) await stopPart()
    }
  }

  const ended = run()
  return {
    ended,
    async stop() {
      isStopping = true
      await stopPart()
      await ended
    },
  }
}

export interface JobOutcome {
  task: string
  outcome: 'done' | 'failed' | 'dead'
  seconds: number
  incidents: readonly Incident[]
}

interface RunnerOptions {
  databaseUrl: string
  handlers: readonly BoundHandler[]
  /** Replaces the number of slots of some lanes. */
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
 * Without this setting the library does not wait for the statement that ends a job: while the database is
 * unreachable, its failure would end the process.
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

/**
 * Whether the job was replaced: adding one with the key of a running job takes that job's key and all
 * attempts.
 */
async function isReplaced({ job, query }: JobHelpers): Promise<boolean> {
  if (job.key === null) return false
  const statement = 'select 1 from graphile_worker.jobs where id = $1 and key is null'
  // Without the database the job cannot be completed either, so it runs again.
  return await query(statement, [job.id]).then(
    ({ rows }) => rows.length > 0,
    () => false,
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
