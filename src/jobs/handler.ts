import type { Deps } from '../deps.ts'
import type { Logger } from '../lib/log.ts'
import type { Job } from './define.ts'

export interface JobContext {
  /** 1 for the first attempt. */
  attempt: number
  /** Fires when the runner has to stop before the job has finished. */
  signal: AbortSignal
  log: Logger
  /** Counts what an operator should look into, for the metrics. */
  countIncident(kind: Incident): void
}

/** stored_bytes_differ: a stored file no longer has the checksum of its upload. */
export type Incident = 'stored_bytes_differ'

export type JobHandler<Payload extends object> = (
  deps: Deps,
  payload: Payload,
  context: JobContext,
) => Promise<void>

export interface BoundHandler {
  job: Job<object>
  run: (deps: Deps, payload: object, context: JobContext) => Promise<void>
}

/** Handlers must be idempotent: a job whose worker died runs again. */
export function handleJob<Payload extends object>(
  job: Job<Payload>,
  handler: JobHandler<Payload>,
): BoundHandler {
  // Safe: the queue only holds payloads that `enqueue` accepted for this job.
  return { job, run: (deps, payload, context) => handler(deps, payload as Payload, context) }
}

/** Throws when a declared job has no handler or two, or a handler has no declaration. */
export function checkHandlers(declared: readonly Job<object>[], handlers: readonly BoundHandler[]): void {
  const faults: string[] = []
  for (const job of declared) {
    const count = handlers.filter((handler) => handler.job.name === job.name).length
    if (count !== 1) faults.push(`job ${job.name} has ${count === 0 ? 'no handler' : `${count} handlers`}`)
    if (declared.filter((other) => other.name === job.name).length > 1)
      faults.push(`job ${job.name} is declared twice`)
  }
  for (const { job } of handlers) {
    if (!declared.some((other) => other.name === job.name))
      faults.push(`handler of ${job.name} has no declaration`)
  }
  if (faults.length > 0) throw new Error([...new Set(faults)].join('; '))
}
