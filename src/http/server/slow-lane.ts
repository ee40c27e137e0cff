import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { createSemaphore, type Semaphore } from '../../lib/flow/semaphore.ts'

/** Refused requests within one window after which an address (an IPv6 /64) is served in the slow lane. */
const ADDRESS_REFUSALS_MAX = 30
/** The same for its network: less than a botnet in it causes within two or three seconds. */
const NETWORK_REFUSALS_MAX = 32
/** How many of them one address can cause, so that it takes at least four to slow their neighbours. */
const ADDRESS_SHARE_MAX = 8
const WINDOW_MS = 10_000
/** For how long after that. */
const SLOW_MS = 60_000
/** In each of the two lanes. */
const SLOW_AT_ONCE = 2
/** The longest wait for a slot, and the longest that one request keeps it. */
const PATIENCE_MS = 1000
/** How many times as long as a request took its slot rests afterwards. */
const REST_FACTOR = 7
const SENDERS_MAX = 10_000

/** Not counted as refusals: a missing page is cheap, and ordinary pages contain dead links. */
const MISSES = new Set([404, 405, 410, 412, 416])
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface Sender {
  address: string
  network: string
}

interface Refusals {
  count: number
  endsAt: number
}

export interface SlowLane {
  /** The slots that the request must use; null for almost all. */
  slotsFor(request: Request): Semaphore | null
  /** Waits for a slot, then does the work. */
  run<Result>(request: Request, slots: Semaphore, work: () => Result | Promise<Result>): Promise<Result>
  /** Call with the status of every response. */
  observe(request: Request, status: number): void
}

/** The requests that hold a slot now. */
const holders = new WeakMap<Request, Slot>()

/** Gives the slot back while the body arrives, so that a slow sender does not block others. */
export async function receive<Result>(request: Request, read: () => Promise<Result>): Promise<Result> {
  const slot = holders.get(request)
  if (!slot) return await read()
  slot.release()
  const result = await read()
  await slot.take()
  return result
}

/** For bodies that are worked on while they arrive. */
export function leaveLane(request: Request): void {
  holders.get(request)?.release()
}

/**
 * An attacker with a whole network stays below every rate limit per address and could still keep the event loop busy.
 * Senders with many refused requests therefore share a few slots, and nobody else waits for them. Addresses that are
 * slow only because of their network have slots of their own.
 */
export function createSlowLane(
  senderOf: (request: Request) => Sender | null,
  now: () => number = Date.now,
): SlowLane {
  const refusals = new BoundedCache<Refusals>({ maxEntries: SENDERS_MAX })
  const slowUntil = new BoundedCache<number>({ maxEntries: SENDERS_MAX })
  const addressSlots = createSemaphore(SLOW_AT_ONCE)
  const networkSlots = createSemaphore(SLOW_AT_ONCE)
  /** While nobody is slow, a request costs nothing but this comparison. */
  let lastSlowUntil = 0

  /** Returns the count, and makes the sender slow at its bound. */
  function count(sender: string, max: number, time: number): number {
    const known = refusals.get(sender)
    const current = known && time < known.endsAt ? known : { count: 0, endsAt: time + WINDOW_MS }
    current.count += 1
    refusals.set(sender, current)
    if (current.count >= max) {
      lastSlowUntil = time + SLOW_MS
      slowUntil.set(sender, lastSlowUntil)
    }
    return current.count
  }

  return {
    slotsFor(request) {
      const time = now()
      if (time >= lastSlowUntil) return null
      const sender = senderOf(request)
      if (sender === null) return null
      if (time < (slowUntil.get(sender.address) ?? 0)) return addressSlots
      return time < (slowUntil.get(sender.network) ?? 0) ? networkSlots : null
    },

    async run(request, slots, work) {
      const slot = new Slot(slots)
      holders.set(request, slot)
      await slot.take()
      try {
        // Requests of others that arrived meanwhile go first.
        await new Promise(setImmediate)
        return await work()
      } finally {
        slot.rest()
      }
    },

    observe(request, status) {
      if (status < 400 || status >= 500) return
      if (MISSES.has(status) && READING.has(request.method)) return
      const [sender, time] = [senderOf(request), now()]
      if (sender === null) return
      if (count(sender.address, ADDRESS_REFUSALS_MAX, time) <= ADDRESS_SHARE_MAX)
        count(sender.network, NETWORK_REFUSALS_MAX, time)
    },
  }
}

/** What one request holds of a lane. */
class Slot {
  private held: Disposable | null = null
  private takenAt = 0
  private timer: Timer | undefined

  constructor(private readonly slots: Semaphore) {}

  async take(): Promise<void> {
    this.held = await this.slots.acquire(1, AbortSignal.timeout(PATIENCE_MS)).catch(() => null)
    this.takenAt = performance.now()
    this.timer = setTimeout(() => this.release(), PATIENCE_MS)
  }

  release(): void {
    clearTimeout(this.timer)
    this.held?.[Symbol.dispose]()
    this.held = null
  }

  /** The slot then stays closed for a while, so that it is used for at most an eighth of the time. */
  rest(): void {
    clearTimeout(this.timer)
    setTimeout(() => this.release(), REST_FACTOR * (performance.now() - this.takenAt)).unref()
  }
}
