import type { RateStore } from './rate-store.ts'

interface Window {
  count: number
  endsAt: number
}

/** Past this many keys the ended windows are swept out, so a flood of addresses cannot grow it without end. */
const SWEEP_AT = 50_000

export function createMemoryRateStore(now: () => number = Date.now): RateStore {
  const windows = new Map<string, Window>()
  let sweepAt = SWEEP_AT

  function sweep(time: number): void {
    for (const [key, window] of windows) if (window.endsAt <= time) windows.delete(key)
    sweepAt = Math.max(SWEEP_AT, windows.size * 2)
  }

  return {
    kind: 'memory',
    add(key, windowMs) {
      const time = now()
      const window = windows.get(key)
      if (window && window.endsAt > time) {
        window.count += 1
        return { count: window.count, resetMs: window.endsAt - time }
      }
      if (windows.size >= sweepAt) sweep(time)
      windows.set(key, { count: 1, endsAt: time + windowMs })
      return { count: 1, resetMs: windowMs }
    },
    async check() {},
    async dispose() {
      windows.clear()
    },
  }
}
