import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { formatBytes } from '../../../lib/text/show.ts'
import { dayOf, secondsLeftOfDay } from '../../../lib/time.ts'
import {
  addRefused,
  addUse,
  deleteOldQuotas,
  findQuota,
  type QuotaUse,
  type Refused,
  WHOLE_GAME,
} from './queries.ts'

interface Amount {
  events: number
  bytes: number
}

interface DailyLimits {
  game: Amount
  network: Amount
}

/** Who sends: the network is null if it is unknown. */
export interface QuotaSubject {
  gameUid: string
  network: string | null
}

/** What a game has sent and what was refused since midnight UTC. */
export interface EventQuotaState extends Amount {
  limits: DailyLimits
  refusedOfGame: number
  refusedOfNetworks: number
}

/** The limits of a store that did not set EVENTS_PER_DAY; another number scales all of them. */
const USUAL: DailyLimits = {
  game: { events: 5_000_000, bytes: 5 * 1024 ** 3 },
  network: { events: 200_000, bytes: 100 * 1024 ** 2 },
}
/** Totals of games and networks; one that was evicted is read again with the next write. */
const TOTALS_MAX = 100_000
/** Refusals are written this often, for all games together. */
const REFUSED_MS = 2000
const NOTHING: Readonly<Amount> = { events: 0, bytes: 0 }

function limitsOf(eventsPerDay: number): DailyLimits {
  const scale = (usual: number) => Math.ceil((usual * eventsPerDay) / USUAL.game.events)
  const scaled = ({ events, bytes }: Amount) => ({ events: scale(events), bytes: scale(bytes) })
  return { game: scaled(USUAL.game), network: scaled(USUAL.network) }
}

/** The caller must have opened the listing. */
export async function loadEventQuota(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  gameUid: string,
  now: number,
): Promise<EventQuotaState> {
  const row = await findQuota(db, gameUid, dayOf(now))
  const { events = 0, bytes = 0, refusedOfGame = 0, refusedOfNetworks = 0 } = row ?? {}
  return { limits: limitsOf(config.eventsPerDay), events, bytes, refusedOfGame, refusedOfNetworks }
}

/** Deletes the counts of past days. */
export async function forgetPastDays(db: Db, now: number): Promise<void> {
  await deleteOldQuotas(db, dayOf(now))
}

/**
 * Daily quotas of events and crash reports, per game and per network in it. Requests are checked against the
 * totals that the last write to Postgres returned, plus what this process is writing. Several processes can
 * together exceed a quota by what each of them is writing, which the writer bounds.
 */
export class EventQuota {
  readonly #limits: DailyLimits
  readonly #db: Db
  readonly #log: Deps['log']
  readonly #totals = new BoundedCache<Amount>({ maxEntries: TOTALS_MAX })
  readonly #pending = new Map<string, Amount>()
  #refused = new Map<string, Refused>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor({ config, db, log, onDispose }: Pick<Deps, 'config' | 'db' | 'log' | 'onDispose'>) {
    this.#limits = limitsOf(config.eventsPerDay)
    this.#db = db
    this.#log = log
    onDispose(() => this.#writeRefused())
  }

  /** Throws 4290 if it does not fit. Counts as used until disposed, which is after `add` was committed. */
  reserve(subject: QuotaSubject, amount: Amount, now: number): Disposable {
    const day = dayOf(now)
    const keys = networksOf(subject).map((network) => keyOf(day, subject.gameUid, network))
    const [ofGame = '', ofNetwork] = keys
    if (ofNetwork !== undefined && !this.#fits(ofNetwork, amount, this.#limits.network))
      throw this.#refuse(subject.gameUid, 'refusedOfNetworks', amount, now)
    if (!this.#fits(ofGame, amount, this.#limits.game))
      throw this.#refuse(subject.gameUid, 'refusedOfGame', amount, now)
    for (const key of keys) this.#pending.set(key, sum(this.#pending.get(key), amount))
    return {
      [Symbol.dispose]: () => {
        for (const key of keys) {
          const left = difference(this.#pending.get(key), amount)
          if (left.events > 0 || left.bytes > 0) this.#pending.set(key, left)
          else this.#pending.delete(key)
        }
      },
    }
  }

  /** The last statement of the transaction. Call the result after the commit. */
  async add(tx: Db, used: readonly (QuotaSubject & Amount)[], now: number): Promise<() => void> {
    const day = dayOf(now)
    const uses = new Map<string, QuotaUse>()
    for (const { gameUid, network, events, bytes } of used) {
      for (const each of networksOf({ gameUid, network })) {
        const key = keyOf(day, gameUid, each)
        uses.set(key, { gameUid, network: each, ...sum(uses.get(key), { events, bytes }) })
      }
    }
    const totals = uses.size > 0 ? await addUse(tx, day, [...uses.values()]) : []
    return () => {
      for (const { gameUid, network, ...total } of totals) this.#raise(keyOf(day, gameUid, network), total)
    }
  }

  /** Takes the maximum, because the responses of two writes may arrive in any order. */
  #raise(key: string, { events, bytes }: Amount): void {
    const known = this.#totals.get(key) ?? NOTHING
    this.#totals.set(key, { events: Math.max(known.events, events), bytes: Math.max(known.bytes, bytes) })
  }

  #fits(key: string, amount: Amount, limit: Amount): boolean {
    const { events, bytes } = sum(sum(this.#totals.get(key), this.#pending.get(key)), amount)
    return events <= limit.events && bytes <= limit.bytes
  }

  #refuse(
    gameUid: string,
    reason: 'refusedOfGame' | 'refusedOfNetworks',
    { events }: Amount,
    now: number,
  ): AppError {
    const refused = this.#refused.get(gameUid) ?? { gameUid, refusedOfGame: 0, refusedOfNetworks: 0 }
    refused[reason] += events
    this.#refused.set(gameUid, refused)
    this.#timer ??= setTimeout(() => void this.#writeRefused(), REFUSED_MS).unref()
    const { events: most, bytes } = reason === 'refusedOfGame' ? this.#limits.game : this.#limits.network
    const who = reason === 'refusedOfGame' ? 'This game' : 'Your network'
    return new AppError('rate_limited', {
      message: `${who} has sent as much as it may in a day: ${most} events or ${formatBytes(bytes)}. Send again after midnight UTC.`,
      headers: { 'retry-after': String(secondsLeftOfDay(now)) },
    })
  }

  async #writeRefused(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const refused = [...this.#refused.values()]
    this.#refused = new Map()
    if (refused.length === 0) return
    await addRefused(this.#db, dayOf(Date.now()), refused).catch((error: unknown) =>
      this.#log.warn('Refused events could not be counted', { error }),
    )
  }
}

function networksOf({ network }: QuotaSubject): string[] {
  return network === null ? [WHOLE_GAME] : [WHOLE_GAME, network]
}

function keyOf(day: string, gameUid: string, network: string): string {
  return `${day} ${gameUid} ${network}`
}

function sum(a: Amount = NOTHING, b: Amount = NOTHING): Amount {
  return { events: a.events + b.events, bytes: a.bytes + b.bytes }
}

function difference(a: Amount = NOTHING, b: Amount): Amount {
  return { events: a.events - b.events, bytes: a.bytes - b.bytes }
}
