export interface JobOptions {
  /** Attempts before the job counts as dead; pauses grow from seconds to hours. */
  maxAttempts?: number
  /** Jobs of one queue run one after the other. */
  queue?: string
  /** Five cron fields, UTC; the job then runs by itself, with an empty payload. */
  cron?: string
  /** Takes minutes: runs in places of its own, so that nothing short ever waits behind it. */
  isLong?: boolean
}

/** What is to be done and with what. Who does it is registered in `registry.ts`. */
export interface Job<Payload extends object> extends JobOptions {
  readonly name: string
  /** Never set: carries the payload's type from the declaration to `enqueue` and the handler. */
  readonly payload?: Payload
}

export function defineJob<Payload extends object>(name: string, options: JobOptions = {}): Job<Payload> {
  return { name, ...options }
}
