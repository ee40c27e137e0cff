export interface JobOptions {
  /** Attempts before the job is dead; the delay between them grows from seconds to hours. */
  maxAttempts?: number
  /** Jobs of one queue run one at a time. */
  queue?: string
  /** Five cron fields, UTC; such a job runs on schedule with an empty payload. */
  cron?: string
  /** For jobs that take minutes: they run in slots of their own, so that short jobs never wait for them. */
  isLong?: boolean
  /** For jobs that call servers of other people: as slow as those may be, no other job waits for them. */
  callsOutside?: boolean
}

/** The name and payload of a job. Handlers are registered in `worker/registry.ts`. */
export interface Job<Payload extends object> extends JobOptions {
  readonly name: string
  /** Never set: carries the payload's type from the declaration to `enqueue` and the handler. */
  readonly payload?: Payload
}

export function defineJob<Payload extends object>(name: string, options: JobOptions = {}): Job<Payload> {
  return { name, ...options }
}
