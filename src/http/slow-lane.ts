import { BoundedCache } from '../lib/bounded-cache.ts'
import { createSemaphore } from '../lib/semaphore.ts'

/** A network with this many refused requests within one window is served in the slow lane. */
const REFUSALS_MAX = 30
const WINDOW_MS = 10_000
/** For how long after that. */
const SLOW_MS = 60_000
const SLOW_AT_ONCE = 2
/** Nobody waits longer for a slot, and no request holds one longer: slow ones block nobody for good. */
const PATIENCE_MS = 1000
const NETWORKS_MAX = 10_000

interface Refusals {
  count: number
  endsAt: number
}

export interface SlowLane {
  /** Whether the request comes from a network that must use the lane. */
  isFor(request: Request): boolean
  /** Waits for a slot of the lane, then does the work. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Call with the status of every response. */
  observe(request: Request, status: number): void
}

/**
 * Rate limits count addresses; an enemy with a whole network stays below all of them and would still take every turn
 * of the event loop. Networks whose requests are refused again and again share a few slots: they are served, but
 * others need not wait for them.
 */
export function createSlowLane(
  networkOf: (request: Request) => string | null,
  now: () => number = Date.now,
): SlowLane {
  const refusals = new BoundedCache<Refusals>({ maxEntries: NETWORKS_MAX })
  const slowUntil = new BoundedCache<number>({ maxEntries: NETWORKS_MAX })
  const slots = createSemaphore(SLOW_AT_ONCE)
  /** While no network is slow, a request costs nothing but this comparison. */
  let lastSlowUntil = 0

  return {
    isFor(request) {
      const time = now()
      if (time >= lastSlowUntil) return false
      const network = networkOf(request)
      return network !== null && time < (slowUntil.get(network) ?? 0)
    },

    async run(work) {
      const slot = await slots.acquire(1, AbortSignal.timeout(PATIENCE_MS)).catch(() => null)
      const held = new DisposableStack()
      held.use(slot)
      const startedAt = performance.now()
      const timer = setTimeout(() => held.dispose(), PATIENCE_MS)
      try {
        // Requests of others that arrived meanwhile go first.
        await new Promise(setImmediate)
        return await work()
      } finally {
        clearTimeout(timer)
        // The slot rests as long as the work took, so the lane leaves others at least half of the time.
        setTimeout(() => held.dispose(), performance.now() - startedAt).unref()
      }
    },

    observe(request, status) {
      if (status < 400 || status >= 500) return
      const [network, time] = [networkOf(request), now()]
      if (network === null) return
      const known = refusals.get(network)
      const current = known && time < known.endsAt ? known : { count: 0, endsAt: time + WINDOW_MS }
      current.count += 1
      refusals.set(network, current)
      if (current.count < REFUSALS_MAX) return
      lastSlowUntil = time + SLOW_MS
      slowUntil.set(network, lastSlowUntil)
    },
  }
}
