import { setTimeout as sleep } from 'node:timers/promises'

import { plural } from '../../lib/text/plural.ts'
import { CliError } from '../cli-error.ts'
import { ApiFailure, isTransient } from './api-failure.ts'

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

export interface RetryOptions {
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
