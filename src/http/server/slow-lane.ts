import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { createSemaphore, type Semaphore } from '../../lib/flow/semaphore.ts'
import { CpuMeter, type Measurement } from './cpu-meter.ts'

/** Whom a request is charged to. */
interface Sender {
  address: string
  network: string
  /** What the request identifies itself with, such as a key or a session; null for guests. */
  credential: string | null
}

/** An address or account is heavy if it used more than this share of all recent time. */
const SENDER_SHARE = 0.1
/** The same for the addresses of a network together, without those that are heavy themselves. */
const NETWORK_SHARE = 0.2
/** Below this no sender is heavy, because opening a few pages at once is harmless. */
const HEAVY_MIN_MS = 500
/**
 * A heavy sender stays heavy until it uses less than this part of the bound: in its lane it uses less than before, but
 * asks for no less.
 */
const HEAVY_UNTIL = 0.2
/** The thread counts as shared while senders that are not heavy use more than this share of its time. */
const OTHERS_SHARE = 0.05
/** The decay time of recorded use: after it a third of the use still counts. */
const MEMORY_MS = 10_000
/** Costs are charged in portions, so that cheap requests need no lookup of their sender. */
const PORTION_MS = 5

type Heavy = 'sender' | 'network'

interface Usage {
  /** Returns whether the sender, or only its network, uses much more than others. */
  charge(ms: number, request: Request): Heavy | null
  weigh(sender: Sender): Heavy | null
  /** Whether senders that are not heavy use the thread too. */
  isShared(): boolean
}

interface UsageOptions {
  senderOf: (request: Request) => Sender | null
  /** The account that sent the request; null if it is not known. */
  accountOf: (request: Request) => string | null
  now: () => number
}

/** How much of this thread's time each address, network and account used lately. */
function createUsage({ senderOf, accountOf, now }: UsageOptions): Usage {
  const uses = new BoundedCache<Use>({ maxEntries: SENDERS_MAX })
  /** The account of each credential, known once a request with it was served. */
  const accounts = new BoundedCache<{ uid: string }>({ maxEntries: SENDERS_MAX })
  const total = new Use()
  const others = new Use()
  let uncharged = 0

  function add(key: string, ms: number): void {
    const use = uses.get(key) ?? new Use()
    use.add(ms, now())
    uses.set(key, use)
  }

  function exceeds(key: string, share: number): boolean {
    const use = uses.get(key)
    if (use === undefined) return false
    const bound = Math.max(HEAVY_MIN_MS, share * total.at(now()))
    use.isHeavy = use.at(now()) > bound * (use.isHeavy ? HEAVY_UNTIL : 1)
    return use.isHeavy
  }

  function weigh({ address, network, credential }: Sender): Heavy | null {
    const account = credential === null ? undefined : accounts.get(credential)
    if (exceeds(address, SENDER_SHARE) || (account && exceeds(account.uid, SENDER_SHARE))) return 'sender'
    return exceeds(network, NETWORK_SHARE) ? 'network' : null
  }

  return {
    weigh,
    isShared: () => others.at(now()) > OTHERS_SHARE * total.at(now()),
    charge(cost, request) {
      uncharged += cost
      if (uncharged < PORTION_MS) return null
      const ms = uncharged
      uncharged = 0
      total.add(ms, now())
      const sender = senderOf(request)
      if (sender === null) return null
      const account = accountOf(request)
      if (account !== null && sender.credential !== null) accounts.set(sender.credential, { uid: account })
      add(sender.address, ms)
      if (account !== null) add(account, ms)
      const heavy = weigh(sender)
      if (heavy === null) others.add(ms, now())
      // The network is not charged for a single heavy sender, so that its neighbours stay fast.
      if (heavy !== 'sender') add(sender.network, ms)
      return heavy
    },
  }
}

/** Milliseconds used; older ones count less and less. */
class Use {
  isHeavy = false
  #ms = 0
  #at = 0

  add(ms: number, time: number): void {
    this.#ms = this.at(time) + ms
    this.#at = time
  }

  at(time: number): number {
    return this.#ms * Math.exp((this.#at - time) / MEMORY_MS)
  }
}

/** Refused requests within one window after which an address (an IPv6 /64) is served in the slow lane. */
const ADDRESS_REFUSALS_MAX = 30
/** The same for its network: less than a botnet in it causes within two or three seconds. */
const NETWORK_REFUSALS_MAX = 32
/**
 * How many refusals of one address count for its network: at least four addresses are needed to slow it down.
 */
const ADDRESS_SHARE_MAX = 8
const WINDOW_MS = 10_000
/** How long a sender stays slow after its last refusal that reached the limit. */
const SLOW_MS = 60_000
/** How long the lanes of heavy senders stay in use after the last heavy request. */
const HEAVY_MS = 10_000
/** Slots in each of the two lanes of refused senders. */
const SLOW_AT_ONCE = 2
/** Slots in each of the two lanes of heavy senders. While others use the thread too, a request takes them all. */
const HEAVY_AT_ONCE = 4
/** The longest wait for a slot, and the longest that one request keeps it. */
const PATIENCE_MS = 1000
/** The longest wait of heavy senders: a connection without traffic for 30 s is closed. */
const HEAVY_PATIENCE_MS = 15_000
/**
 * After a request its slot stays closed for this many times the duration of the request; in the lanes of heavy senders
 * only while others use the thread too.
 */
const REST_FACTOR = 7
const SENDERS_MAX = 10_000

/** Not counted as refusals: a missing page is cheap, and ordinary pages contain dead links. */
const MISSES = new Set([404, 405, 410, 412, 416])
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Refusals {
  count: number
  endsAt: number
}

/** A few slots that some senders share. */
interface Lane {
  slots: Semaphore
  patienceMs: number
  /** How many slots a request takes. */
  weight(): number
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

interface SlowLaneOptions extends Omit<UsageOptions, 'now'> {
  now?: () => number
  readCpu?: () => number
}

/** The requests that hold a slot now. */
const holders = new WeakMap<Request, Slot>()
/** Of requests with a body; kept on them, because a WeakMap costs more. */
const MEASUREMENT = Symbol('measurement')

interface MeasuredRequest extends Request {
  [MEASUREMENT]?: Measurement
}

/** Gives the slot back while the body arrives, so that a slow sender does not block others. */
export async function receive<Result>(
  request: MeasuredRequest,
  read: () => Promise<Result>,
): Promise<Result> {
  const [slot, measurement] = [holders.get(request), request[MEASUREMENT]]
  leaveLane(request)
  const result = await read()
  await slot?.take()
  measurement?.resume()
  return result
}

/** For bodies that are worked on while they arrive. */
export function leaveLane(request: MeasuredRequest): void {
  holders.get(request)?.release()
  request[MEASUREMENT]?.pause()
}

/**
 * An attacker with a whole network stays below every rate limit per address but could keep the event loop
 * busy. So senders with many refusals and those that use far more time than others share a few slots, which
 * nobody else waits for. Addresses that are slow only because of their network have slots of their own.
 */
export function createSlowLane({
  senderOf,
  accountOf,
  now = () => performance.now(),
  readCpu,
}: SlowLaneOptions): SlowLane {
  const refusals = new BoundedCache<Refusals>({ maxEntries: SENDERS_MAX })
  const slowUntil = new BoundedCache<number>({ maxEntries: SENDERS_MAX })
  const meter = new CpuMeter(now, readCpu)
  const usage = createUsage({ senderOf, accountOf, now })
  const refused = { sender: createRefusedLane(), network: createRefusedLane() }
  const heavy = { sender: createHeavyLane(), network: createHeavyLane() }
  /** Until these times some sender is slow or heavy; later, a request costs only two comparisons. */
  let lastSlowUntil = 0
  let lastHeavyUntil = 0

  function createRefusedLane(): Lane {
    const slots = createSemaphore(SLOW_AT_ONCE)
    return { slots, patienceMs: PATIENCE_MS, weight: () => 1, restFactor: () => REST_FACTOR }
  }

  function createHeavyLane(): Lane {
    const slots = createSemaphore(HEAVY_AT_ONCE)
    const weight = () => (usage.isShared() ? HEAVY_AT_ONCE : 1)
    const restFactor = () => (usage.isShared() ? REST_FACTOR : 0)
    return { slots, patienceMs: HEAVY_PATIENCE_MS, weight, restFactor }
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

    measure(request: MeasuredRequest) {
      const measurement = meter.start()
      if (!READING.has(request.method)) request[MEASUREMENT] = measurement
      return measurement
    },

    charge(request, measurement) {
      if (usage.charge(measurement.end(), request) === null) return
      const time = now()
      if (time < lastHeavyUntil || meter.isBusy()) lastHeavyUntil = time + HEAVY_MS
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
    const weight = this.lane.weight()
    this.held =
      slots.tryAcquire(weight) ??
      (await slots.acquire(weight, AbortSignal.timeout(patienceMs)).catch(() => null))
    this.takenAt = performance.now()
    this.timer = setTimeout(() => this.release(), PATIENCE_MS)
  }

  release(): void {
    clearTimeout(this.timer)
    this.held?.[Symbol.dispose]()
    this.held = null
  }

  /** Keeps the slot closed for a while, so that it is in use for only a part of the time. */
  rest(): void {
    const restMs = this.lane.restFactor() * (performance.now() - this.takenAt)
    if (restMs === 0) return this.release()
    clearTimeout(this.timer)
    setTimeout(() => this.release(), restMs).unref()
  }
}
