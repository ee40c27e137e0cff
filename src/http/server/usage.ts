import { BoundedCache } from '../../lib/cache/bounded-cache.ts'

/** Whom a request is charged to. */
export interface Sender {
  address: string
  network: string
  /** What the request identifies itself with, such as a key or a session; null for guests. */
  credential: string | null
}

/** The share of all time used lately from which on an address or an account is heavy. */
const SENDER_SHARE = 0.1
/** The same for the addresses of a network together, without those that are heavy themselves. */
const NETWORK_SHARE = 0.2
/** Nobody is heavy below this: opening a few pages at once is not much. */
const HEAVY_MIN_MS = 500
/** The others want time while they use this share of it. */
const OTHERS_SHARE = 0.05
/** How long use is remembered: after this time a third of it still counts. */
const MEMORY_MS = 10_000
/** Costs are charged in portions, so that cheap requests need no look at who sent them. */
const PORTION_MS = 1
const SENDERS_MAX = 10_000

export type Heavy = 'sender' | 'network'

export interface Usage {
  /** Returns whether the sender, or only its network, uses much more than others. */
  charge(ms: number, senderOf: () => Sender | null, accountOf: () => string | null): Heavy | null
  weigh(sender: Sender): Heavy | null
  /** Whether senders that are not heavy want time too. */
  isShared(): boolean
}

/** How much of this thread's time each address, network and account used lately. */
export function createUsage(now: () => number): Usage {
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
    const used = uses.get(key)?.at(now()) ?? 0
    return used > HEAVY_MIN_MS && used > share * total.at(now())
  }

  function weigh({ address, network, credential }: Sender): Heavy | null {
    const account = credential === null ? undefined : accounts.get(credential)
    if (exceeds(address, SENDER_SHARE) || (account && exceeds(account.uid, SENDER_SHARE))) return 'sender'
    return exceeds(network, NETWORK_SHARE) ? 'network' : null
  }

  return {
    weigh,
    isShared: () => others.at(now()) > OTHERS_SHARE * total.at(now()),
    charge(cost, senderOf, accountOf) {
      uncharged += cost
      if (uncharged < PORTION_MS) return null
      const ms = uncharged
      uncharged = 0
      total.add(ms, now())
      const sender = senderOf()
      if (sender === null) return null
      const account = accountOf()
      if (account !== null && sender.credential !== null) accounts.set(sender.credential, { uid: account })
      add(sender.address, ms)
      if (account !== null) add(account, ms)
      const heavy = weigh(sender)
      if (heavy === null) others.add(ms, now())
      // Whoever is heavy alone does not slow the neighbours.
      if (heavy !== 'sender') add(sender.network, ms)
      return heavy
    },
  }
}

/** Milliseconds used, of which older ones count less and less. */
class Use {
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
