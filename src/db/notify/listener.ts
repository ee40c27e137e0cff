import type postgres from 'postgres'

import { coalesceMany } from '../../lib/flow/coalesce.ts'
import { waitAtMost } from '../../lib/flow/with-timeout.ts'
import { openSession } from '../pool/sessions.ts'

export interface ListenTimes {
  beatMs: number
  /** Notifications count as complete for this long after the last successful query on their connection. */
  trustMs: number
  /** How long a writer waits for its own notification. */
  catchUpMs: number
}

const TIMES: ListenTimes = { beatMs: 1000, trustMs: 5000, catchUpMs: 2000 }
/** A connection that missed this many heartbeats is replaced. */
const SILENT_BEATS_MAX = 10

interface Subscription {
  channel: string
  onChange(payload: string): void
  /** Notifications may have been missed. */
  onGap(): void
}

/**
 * The connection that receives notifications. Without one, a gap is reported every second. A half-open socket
 * looks alive but delivers nothing, so a query is sent every second; once none has succeeded for five seconds,
 * gaps are reported too.
 */
export class Listener {
  readonly #subscriptions: Subscription[] = []
  #client: postgres.Sql | null = null
  #timer: ReturnType<typeof setInterval> | undefined
  #isSubscribed = false
  #silentBeats = 0
  #provenAt = 0

  /** `onAny` runs before the subscriptions, for every notification and every gap. */
  constructor(
    private readonly url: string,
    private readonly onAny: () => void = () => undefined,
    private readonly times = TIMES,
  ) {}

  async listen(subscription: Subscription): Promise<void> {
    this.#subscriptions.push(subscription)
    if (this.#client) await this.#subscribe(this.#client, [subscription])
    else await this.#subscribe((this.#client = this.#connect()), this.#subscriptions)
    this.#timer ??= setInterval(() => this.#beat(), this.times.beatMs)
  }

  /** Whether no notification can have been missed, as far as is known. */
  isTrusted(): boolean {
    return this.#isSubscribed && performance.now() - this.#provenAt <= this.times.trustMs
  }

  /**
   * Returns once this process has heard of everything that was committed before: Postgres sends notifications ahead of
   * the answer to a later query. If it does not answer, everything counts as missed.
   */
  async catchUp(): Promise<void> {
    if (this.#subscriptions.length > 0) await this.#catchUpTogether([])
  }

  readonly #catchUpTogether = coalesceMany(async () => {
    const client = this.#isSubscribed ? this.#client : null
    const hasHeard = client && (await waitAtMost(this.times.catchUpMs, this.#ask(client)))
    if (hasHeard !== true) this.#reportGap()
    return new Map()
  })

  deliver(channel: string, payload: string): void {
    this.onAny()
    for (const subscription of this.#subscriptions) {
      if (subscription.channel === channel) subscription.onChange(payload)
    }
  }

  async dispose(): Promise<void> {
    clearInterval(this.#timer)
    await this.#client?.end({ timeout: 1 })
  }

  #connect(): postgres.Sql {
    const client = openSession(this.url, 'listen', {
      onnotify: (channel, payload) => this.deliver(channel, payload),
      onclose: () => this.#leave(client),
    })
    return client
  }

  async #subscribe(client: postgres.Sql, subscriptions: readonly Subscription[]): Promise<void> {
    const askedAt = performance.now()
    const channels = new Set(subscriptions.map(({ channel }) => channel))
    await Promise.all([...channels].map((channel) => client`listen ${client(channel)}`))
    if (client !== this.#client) return
    this.#isSubscribed = true
    this.#prove(askedAt)
    this.#reportGap(subscriptions)
  }

  #reportGap(subscriptions: readonly Subscription[] = this.#subscriptions): void {
    this.onAny()
    for (const { onGap } of subscriptions) onGap()
  }

  #beat(): void {
    if (!this.isTrusted()) this.#reportGap()
    this.#silentBeats += 1
    if (this.#client === null || this.#silentBeats > SILENT_BEATS_MAX) this.#reconnect()
    else if (this.#isSubscribed) void this.#ask(this.#client)
  }

  /** Returns whether it answered. */
  async #ask(client: postgres.Sql): Promise<boolean> {
    const askedAt = performance.now()
    try {
      await client`select 1`
      if (client === this.#client) this.#prove(askedAt)
      return true
    } catch {
      this.#leave(client)
      return false
    }
  }

  #prove(askedAt: number): void {
    this.#provenAt = askedAt
    this.#silentBeats = 0
  }

  #reconnect(): void {
    if (this.#client) this.#leave(this.#client)
    const client = this.#connect()
    this.#client = client
    this.#subscribe(client, this.#subscriptions).catch(() => this.#leave(client))
  }

  /** The next heartbeat opens a new connection. */
  #leave(client: postgres.Sql): void {
    if (client !== this.#client) return
    this.#client = null
    this.#isSubscribed = false
    this.#silentBeats = 0
    this.#reportGap()
    void client.end({ timeout: 0 })
  }
}
