import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import type { RateStore } from './rate-store.ts'

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
