import { setTimeout as sleep } from 'node:timers/promises'

import type { FailureEnvelope } from '../../errors.ts'
import { plural } from '../../lib/text/show.ts'
import { CliError } from '../cli-error.ts'

const CREDENTIALS_HINT =
  'Run "shelf login", or set SHELF_ACCESS_TOKEN and SHELF_SECRET_KEY to a valid deploy key of the game.'
const INSUFFICIENT_STORAGE = 507
const ROOM_HINT =
  'The server has no room; only its operator can help. Run the command again later: it goes on where it stopped.'
/** Certificate errors are permanent, so retrying does not help. */
const PERMANENT = /CERT|TLS|SSL|SIGNED|ERR_INVALID_URL/i

/** The runtime's codes, in words. */
const REASONS: readonly [codes: RegExp, words: string][] = [
  [/ECONNREFUSED|ConnectionRefused/i, 'it refuses the connection'],
  [/ENOTFOUND|EAI_AGAIN|DNS/i, 'its name is not known'],
  [/ECONNRESET|EPIPE|ConnectionClosed|socket connection was closed/i, 'the connection broke'],
  [/TimeoutError|ETIMEDOUT|timed out/i, 'it does not respond'],
]

/** The server responded, but refused. */
export class ApiFailure extends CliError {
  readonly data: Record<string, unknown>

  constructor(
    readonly status: number,
    { error, data = {} }: Omit<FailureEnvelope, 'success'>,
    readonly retryAfterMs: number | null,
  ) {
    const hint = status === 401 ? CREDENTIALS_HINT : status === INSUFFICIENT_STORAGE ? ROOM_HINT : undefined
    super(status === 401 ? 'credentials' : status >= 500 ? 'unreachable' : 'refused', error.message, {
      code: error.code,
      hint,
    })
    this.data = data
  }

  /** Where the upload session stands, if the server said so. */
  get currentSize(): number | null {
    return typeof this.data.current_size === 'number' ? this.data.current_size : null
  }
}

/** No response, or one that ended early. */
export class NetworkFailure extends CliError {
  readonly isPermanent: boolean

  constructor(server: string, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const text = cause instanceof Error ? cause.message : String(cause)
    const [, reason = text.replace(/[.?!\s]+$/, '')] =
      REASONS.find(([codes]) => codes.test(code + text)) ?? []
    super('unreachable', `${server} cannot be reached: ${reason}.`, { cause })
    this.isPermanent = PERMANENT.test(code)
  }
}

function isTransient(error: unknown): error is ApiFailure | NetworkFailure {
  if (error instanceof NetworkFailure) return !error.isPermanent
  return error instanceof ApiFailure && (error.status >= 500 || error.status === 429)
}

export function isApiCode(error: unknown, code: number): error is ApiFailure {
  return error instanceof ApiFailure && error.code === code
}

/** Without progress for this long, a command gives up. */
export const SHORT_MS = 30_000
export const PATIENT_MS = 10 * 60_000

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/** What is left of the time of a short command that asks several servers, at most `each` for one of them. */
export function createShortWait(each: number = SHORT_MS): () => { giveUpAfterMs: number } {
  const end = performance.now() + SHORT_MS
  return () => ({ giveUpAfterMs: Math.max(1, Math.min(each, end - performance.now())) })
}

interface RetryOptions {
  giveUpAfterMs: number
  signal: AbortSignal
  /** What to do after giving up. */
  hint?: string
  onPause?: (error: CliError, pauseMs: number) => void
  /** For tests. */
  clock?: { now(): number; sleep(ms: number, signal: AbortSignal): Promise<unknown> }
}

const systemClock = {
  now: () => performance.now(),
  sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
}

/** Growing pauses between attempts, until there was no progress for too long. */
export class Retry {
  readonly #options: RetryOptions
  readonly #clock: NonNullable<RetryOptions['clock']>
  #since: number
  #failures = 0

  constructor(options: RetryOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#since = this.#clock.now()
  }

  get remainingMs(): number {
    return Math.max(0, this.#since + this.#options.giveUpAfterMs - this.#clock.now())
  }

  progress(): void {
    this.#since = this.#clock.now()
    this.#failures = 0
  }

  /** Waits before the next attempt. Throws if the error is final or the time is up. */
  async pause(error: unknown): Promise<void> {
    if (!isTransient(error)) throw error
    await this.wait(error)
  }

  /** The same for an error that is known to pass. */
  async wait(error: CliError): Promise<void> {
    const { signal, onPause } = this.#options
    const grown = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS)
    const asked = error instanceof ApiFailure ? (error.retryAfterMs ?? 0) : 0
    // Spread, so that pipelines that failed together do not return together.
    const pauseMs = Math.max(asked, grown * (0.75 + Math.random() / 2))
    if (pauseMs >= this.remainingMs) throw this.#gaveUp(error)
    this.#failures += 1
    onPause?.(error, pauseMs)
    await this.#clock.sleep(pauseMs, signal)
  }

  #gaveUp(error: CliError): CliError {
    const seconds = Math.ceil(this.#options.giveUpAfterMs / 1000)
    const time = seconds < 120 ? plural(seconds, 'second') : plural(seconds / 60, 'minute')
    return new CliError('unreachable', `${error.message} Tried for ${time} without progress.`, {
      code: error.code ?? undefined,
      hint:
        error.hint ??
        this.#options.hint ??
        'Check the address of the server and your network, then try again.',
      cause: error,
    })
  }
}
