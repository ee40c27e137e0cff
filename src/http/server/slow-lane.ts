import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { createSemaphore, type Semaphore } from '../../lib/flow/semaphore.ts'
import { createCpuMeter, type Measurement } from './cpu-meter.ts'
import { createUsage, type Sender } from './usage.ts'

/** Refused requests within one window after which an address (an IPv6 /64) is served in the slow lane. */
const ADDRESS_REFUSALS_MAX = 30
/** The same for its network: less than a botnet in it causes within two or three seconds. */
const NETWORK_REFUSALS_MAX = 32
/** How many of them one address can cause, so that it takes at least four to slow their neighbours. */
const ADDRESS_SHARE_MAX = 8
const WINDOW_MS = 10_000
/** For how long after that. */
const SLOW_MS = 60_000
/** How long the lanes of heavy senders stay in use after the last heavy request. */
const HEAVY_MS = 10_000
/** In each of the two lanes of refused senders. */
const SLOW_AT_ONCE = 2
/** In each of the two lanes of heavy senders. */
const HEAVY_AT_ONCE = 1
/** The longest wait for a slot, and the longest that one request keeps it. */
const PATIENCE_MS = 1000
/** The longest wait of heavy senders: a connection that is silent for 30 s is closed. */
const HEAVY_PATIENCE_MS = 15_000
/** How many times as long as a request took its slot rests afterwards. */
const REST_FACTOR = 7
/** The same for heavy senders, while others want the time. */
const HEAVY_REST_FACTOR = 3
const SENDERS_MAX = 10_000

/** Not counted as refusals: a missing page is cheap, and ordinary pages contain dead links. */
const MISSES = new Set([404, 405, 410, 412, 416])
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Refusals {
  count: number
  endsAt: number
}

/** A few slots that some senders share. */
export interface Lane {
  slots: Semaphore
  patienceMs: number
  restFactor(): number
}

export interface SlowLane {
  /** The lane that the request must use; null for almost all. */
  laneFor(request: Request): Lane | null
  /** Waits for a slot, then does the work. */
  run<Result>(request: Request, lane: Lane, work: () => Result | Promise<Result>): Promise<Result>
  /** Call when the work on a request begins, and `charge` with the result when it ends. */
  measure(request: Request): Measurement
  charge(request: Request, measurement: Measurement): void
  /** Call with the status of every response. */
  observe(request: Request, status: number): void
}

export interface SlowLaneOptions {
  senderOf: (request: Request) => Sender | null
  /** The account that sent the request; null if it is not known. */
  accountOf: (request: Request) => string | null
  now?: () => number
  readCpu?: () => number
}

/** The requests that hold a slot now. */
const holders = new WeakMap<Request, Slot>()
/** The requests with a body that are being worked on. */
const measured = new WeakMap<Request, Measurement>()

/** Gives the slot back while the body arrives, so that a slow sender does not block others. */
export async function receive<Result>(request: Request, read: () => Promise<Result>): Promise<Result> {
  const [slot, measurement] = [holders.get(request), measured.get(request)]
  leaveLane(request)
  const result = await read()
  await slot?.take()
  measurement?.resume()
  return result
}

/** For bodies that are worked on while they arrive. */
export function leaveLane(request: Request): void {
  holders.get(request)?.release()
  measured.get(request)?.pause()
}

/**
 * An attacker with a whole network stays below every rate limit per address and could still keep the event loop busy.
 * Senders with many refused requests, and those that use much more time than others, therefore share a few slots, and
 * nobody else waits for them. Addresses that are slow only because of their network have slots of their own.
 */
export function createSlowLane({ senderOf, accountOf, now = Date.now, readCpu }: SlowLaneOptions): SlowLane {
  const refusals = new BoundedCache<Refusals>({ maxEntries: SENDERS_MAX })
  const slowUntil = new BoundedCache<number>({ maxEntries: SENDERS_MAX })
  const meter = createCpuMeter(now, readCpu)
  const usage = createUsage(now)
  const refused = { sender: createRefusedLane(), network: createRefusedLane() }
  const heavy = { sender: createHeavyLane(), network: createHeavyLane() }
  /** While nobody is slow, a request costs nothing but two comparisons. */
  let lastSlowUntil = 0
  let lastHeavyUntil = 0

  function createRefusedLane(): Lane {
    const slots = createSemaphore(SLOW_AT_ONCE)
    return { slots, patienceMs: PATIENCE_MS, restFactor: () => REST_FACTOR }
  }

  function createHeavyLane(): Lane {
    const slots = createSemaphore(HEAVY_AT_ONCE)
    const restFactor = () => (usage.isShared() ? HEAVY_REST_FACTOR : 0)
    return { slots, patienceMs: HEAVY_PATIENCE_MS, restFactor }
  }

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
    laneFor(request) {
      const time = now()
      if (time >= lastSlowUntil && time >= lastHeavyUntil) return null
      const sender = senderOf(request)
      if (sender === null) return null
      if (time < (slowUntil.get(sender.address) ?? 0)) return refused.sender
      if (time < (slowUntil.get(sender.network) ?? 0)) return refused.network
      const weight = time < lastHeavyUntil ? usage.weigh(sender) : null
      return weight && heavy[weight]
    },

    async run(request, lane, work) {
      const slot = new Slot(lane)
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

    measure(request) {
      const measurement = meter.start()
      if (!READING.has(request.method)) measured.set(request, measurement)
      return measurement
    },

    charge(request, measurement) {
      const weight = usage.charge(
        measurement.end(),
        () => senderOf(request),
        () => accountOf(request),
      )
      const time = now()
      if (weight !== null && (time < lastHeavyUntil || meter.isBusy())) lastHeavyUntil = time + HEAVY_MS
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

  constructor(private readonly lane: Lane) {}

  async take(): Promise<void> {
    const { slots, patienceMs } = this.lane
    this.held = await slots.acquire(1, AbortSignal.timeout(patienceMs)).catch(() => null)
    this.takenAt = performance.now()
    this.timer = setTimeout(() => this.release(), PATIENCE_MS)
  }

  release(): void {
    clearTimeout(this.timer)
    this.held?.[Symbol.dispose]()
    this.held = null
  }

  /** The slot then stays closed for a while, so that it is in use for only a part of the time. */
  rest(): void {
    clearTimeout(this.timer)
    const restMs = this.lane.restFactor() * (performance.now() - this.takenAt)
    setTimeout(() => this.release(), restMs).unref()
  }
}
