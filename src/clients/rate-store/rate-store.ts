import type { Db } from '../../db/client.ts'
import { addLastingCount } from '../../db/rate-counts.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { DAY_MS } from '../../lib/time.ts'

export interface RateCount {
  /** Requests in the current window, this one included. */
  count: number
  /** Milliseconds until the window ends. */
  resetMs: number
}

/** Fixed windows: each key has a counter that starts with its first request and expires with the window. */
export interface RateStore {
  readonly kind: 'memory' | 'redis'
  /** A negative amount takes back what was counted too much. */
  add(key: string, windowMs: number, amount?: number): RateCount | Promise<RateCount>
  check(): Promise<void>
  dispose(): Promise<void>
}

interface Window {
  count: number
  endsAt: number
}

/** Room for about 130,000 counters. A flood from more addresses evicts the least recently used ones. */
const MAX_BYTES = 32 * 1024 ** 2
const WINDOW_BYTES = 32

export function createMemoryRateStore(now: () => number = Date.now): RateStore {
  const windows = new BoundedCache<Window>({ maxBytes: MAX_BYTES, bytesOf: () => WINDOW_BYTES })

  return {
    kind: 'memory',
    add(key, windowMs, amount = 1) {
      const time = now()
      const window = windows.get(key)
      if (window && window.endsAt > time) {
        window.count += amount
        return { count: window.count, resetMs: window.endsAt - time }
      }
      windows.set(key, { count: amount, endsAt: time + windowMs })
      return { count: amount, resetMs: windowMs }
    },
    async check() {},
    async dispose() {
      windows.clear()
    },
  }
}

/** Counts windows of a day in Postgres, so that a restart does not forget them, and shorter ones in `rates`. */
export function countDaysIn(db: Db, rates: RateStore): RateStore {
  return {
    ...rates,
    add: (key, windowMs, amount) =>
      windowMs >= DAY_MS ? addLastingCount(db, key, windowMs, amount) : rates.add(key, windowMs, amount),
  }
}
