import type { LaneName } from './lanes.ts'

export interface JobOptions<Payload extends object = object> {
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

/** The name and payload of a job. Handlers are registered in `worker/registry.ts`. */
export interface Job<Payload extends object> extends JobOptions<Payload> {
  readonly name: string
  /** Never set: carries the payload's type from the declaration to `enqueue` and the handler. */
  readonly payload?: Payload
}

export function defineJob<Payload extends object>(
  name: string,
  options: JobOptions<Payload> = {},
): Job<Payload> {
  return { name, ...options }
}
