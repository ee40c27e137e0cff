import { EventEmitter } from 'node:events'

import { Logger as QueueLogger, parseCronItems, run, type TaskList, type WorkerEvents } from 'graphile-worker'

import type { Deps } from '../deps.ts'
import type { BoundHandler } from './handler.ts'
import { startLiveness } from './liveness.ts'

export interface JobOutcome {
  task: string
  outcome: 'done' | 'failed' | 'dead'
  seconds: number
}

export interface RunnerOptions {
  databaseUrl: string
  handlers: readonly BoundHandler[]
  /** Jobs at a time; most of them wait for something else. */
  concurrency?: number
  onFinished?: (outcome: JobOutcome) => void
}

export interface JobRunner {
  /** Finishes the jobs in hand, takes no new ones. */
  stop(): Promise<void>
  /** Settles when the runner ends by itself, which it should not. */
  ended: Promise<void>
}

export async function startRunner(deps: Deps, options: RunnerOptions): Promise<JobRunner> {
  const log = deps.log.child({ component: 'jobs' })
  const liveness = startLiveness(options.databaseUrl, log)
  const tasks: TaskList = Object.fromEntries(
    options.handlers.map(({ job, run: handle }) => [
      job.name,
      async (payload, helpers) => {
        const attempt = helpers.job.attempts
        const context = {
          attempt,
          signal: helpers.abortSignal ?? new AbortController().signal,
          log: log.child({ job: job.name }),
        }
        const started = performance.now()
        const report = (outcome: JobOutcome['outcome']) =>
          options.onFinished?.({ task: job.name, outcome, seconds: (performance.now() - started) / 1000 })
        try {
          await handle(deps, isRecord(payload) ? payload : {}, context)
          report('done')
        } catch (error) {
          const dead = attempt >= helpers.job.max_attempts
          log[dead ? 'error' : 'warn'](
            dead ? 'A job failed for good' : 'A job failed and will be tried again',
            {
              job: job.name,
              attempt,
              error,
            },
          )
          report(dead ? 'dead' : 'failed')
          throw error
        }
      },
    ]),
  )
  const events: WorkerEvents = new EventEmitter()
  events.on('pool:create', ({ workerPool }) => liveness.announce(workerPool.id))
  const runner = await run({
    events,
    connectionString: options.databaseUrl,
    taskList: tasks,
    concurrency: options.concurrency ?? 4,
    noHandleSignals: true,
    pollInterval: 1000,
    parsedCronItems: parseCronItems(
      options.handlers.flatMap(({ job }) =>
        job.cron ? [{ task: job.name, match: job.cron, identifier: job.name }] : [],
      ),
    ),
    logger: new QueueLogger(() => (level, message) => {
      if (level === 'error') log.error(message)
      else log.debug(message)
    }),
  })
  return {
    ended: runner.promise,
    async stop() {
      await runner.stop()
      await liveness.stop()
    },
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
