import { setTimeout as sleep } from 'node:timers/promises'

const REQUEST_MIN = 128 * 1024
const REQUESTS_PER_SECOND = 4

/** Keeps all connections together below a number of bytes per second. */
export class RateLimiter {
  #freeAt = 0

  constructor(private readonly bytesPerSecond: number | null) {}

  /** What a connection should ask for at once: what the system receives ahead comes at any speed. */
  limitRequest(max: number, connections: number): number {
    if (this.bytesPerSecond === null) return max
    return Math.min(max, Math.max(REQUEST_MIN, this.bytesPerSecond / connections / REQUESTS_PER_SECOND))
  }

  /** Waits until this many bytes more may come. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.bytesPerSecond === null) return
    const now = performance.now()
    this.#freeAt = Math.max(this.#freeAt, now) + (bytes / this.bytesPerSecond) * 1000
    await sleep(this.#freeAt - now, undefined, { signal })
  }
}
