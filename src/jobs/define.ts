import type { Deps } from '../deps.ts'
import type { Logger } from '../lib/log.ts'

interface Lane {
  /** How many of its jobs run at once in each process. */
  readonly slots: number
  /** How many of those may be of one owner; jobs without an owner are only bounded by the slots. */
  readonly perOwner: number
}

/** Jobs of one lane never wait for those of another: each lane has slots of its own. */
export const LANES = {
  /** Statements of milliseconds, most of which wait for the database. */
  short: { slots: 4, perOwner: 2 },
  /** Work of the store itself that takes minutes, or as long as the object store does. */
  long: { slots: 3, perOwner: 1 },
  /** A slow mail server delays mails only. */
  mail: { slots: 2, perOwner: 1 },
  /** Each reads a zip of up to 5 GB. The virus scanner has as many connections. */
  scans: { slots: 4, perOwner: 1 },
  /** Each reads symbol files of up to 512 MB. */
  symbols: { slots: 2, perOwner: 1 },
  /** Calls to Stripe. */
  payments: { slots: 6, perOwner: 6 },
  /** Calls to external servers; however slow these are, no other job waits for them. */
  outside: { slots: 16, perOwner: 4 },
} as const satisfies Readonly<Record<string, Lane>>

export type LaneName = keyof typeof LANES

export const LANE_NAMES = Object.keys(LANES) as readonly LaneName[]

export function laneOf({ lane }: { lane?: LaneName }): LaneName {
  return lane ?? 'short'
}

interface JobOptions<Payload extends object = object> {
  /** Attempts before the job is dead; the delay between them grows from seconds to hours. */
  maxAttempts?: number
  /** Jobs of one queue run one at a time. */
  queue?: string
  /** Five cron fields, UTC; such a job runs on schedule with an empty payload. */
  cron?: string
  /** `short` by default. */
  lane?: LaneName
  /** Whose work it is, such as an account. Owners are served in turn, and `LANES` bounds what runs for each. */
  ownerOf?(payload: Payload): string
}

/** The name and payload of a job. `worker/registry.ts` names all of them. */
export interface Job<Payload extends object> extends JobOptions<Payload> {
  readonly name: string
  /** Never set: carries the payload's type from the declaration to `enqueue` and the handler. */
  readonly payload?: Payload
  /**
   * What it does. Loads its modules when it first runs, so that code which adds jobs does not load them. A
   * job without one is handled by a higher area than the one that declares it: see `handleJob`.
   */
  run?(...args: Parameters<JobHandler<Payload>>): Promise<void>
}

/** Handlers must be idempotent: a job whose worker died runs again. */
export function defineJob<Payload extends object>(
  name: string,
  options: JobOptions<Payload> = {},
  run?: JobHandler<Payload>,
): Job<Payload> {
  return { name, ...options, ...(run && { run }) }
}

export interface JobContext {
  /** 1 for the first attempt. */
  attempt: number
  /** Fires when the runner has to stop before the job has finished. */
  signal: AbortSignal
  log: Logger
  /** Counts an incident that an operator should look into, for the metrics. */
  countIncident(kind: Incident): void
}

/** stored_bytes_differ: a stored file no longer has the checksum of its upload. */
export type Incident = 'stored_bytes_differ'

type JobHandler<Payload extends object> = (deps: Deps, payload: Payload, context: JobContext) => Promise<void>

export interface BoundHandler {
  job: Job<object>
  run: (deps: Deps, payload: object, context: JobContext) => Promise<void>
}

/** For a job that a lower area declares. */
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
